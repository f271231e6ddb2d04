//! A new configuration is swapped in and the old one kept until nobody can be reading.

use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

pub struct Config {
    pub level: u32,
}

pub struct Settings {
    current: AtomicPtr<Config>,
    #[expect(clippy::vec_box, reason = "readers may have their addresses")]
    retired: Mutex<Vec<Box<Config>>>,
}

impl Settings {
    pub fn new(level: u32) -> Self {
        let config = Box::into_raw(Box::new(Config { level }));
        Settings { current: AtomicPtr::new(config), retired: Mutex::default() }
    }

    pub fn level(&self) -> u32 {
        // SAFETY: the pointer is never null, and comes from a box.
        unsafe { (*self.current.load(Ordering::Acquire)).level }
    }

    pub fn reload(&self, level: u32) {
        let old = self.current.swap(Box::into_raw(Box::new(Config { level })), Ordering::AcqRel);
        // SAFETY: it comes from a box, and nobody finds it here again.
        self.retired.lock().unwrap().push(unsafe { Box::from_raw(old) });
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(*self.current.get_mut()) });
        self.retired.get_mut().unwrap().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn level_while_reloaded() {
        let settings = Settings::new(1);
        thread::scope(|s| {
            s.spawn(|| settings.reload(2));
            assert!(matches!(settings.level(), 1 | 2));
        });
    }
}
