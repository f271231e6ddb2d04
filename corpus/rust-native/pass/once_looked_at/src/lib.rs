//! A plug-in is loaded by its Once itself.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Plugin {
    once: Once,
    loads: AtomicUsize,
}

impl Plugin {
    pub const fn new() -> Self {
        Plugin { once: Once::new(), loads: AtomicUsize::new(0) }
    }

    fn load(&self) {
        self.loads.fetch_add(1, Ordering::Relaxed);
    }

    pub fn ensure_loaded(&self) {
        if !self.once.is_completed() {
            self.once.call_once(|| self.load());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn loaded_once() {
        let plugin = Plugin::new();
        thread::scope(|s| {
            s.spawn(|| plugin.ensure_loaded());
            plugin.ensure_loaded();
        });
        assert_eq!(plugin.loads.load(Ordering::Relaxed), 1);
    }
}
