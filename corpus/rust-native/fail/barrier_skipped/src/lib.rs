//! Who wants the page skips the barrier if it is loaded already, and the loader waits there for two.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};

pub struct Loader {
    page: Mutex<Option<&'static str>>,
    loaded: AtomicBool,
    ready: Barrier,
}

impl Loader {
    pub fn new() -> Self {
        Loader { page: Mutex::new(None), loaded: AtomicBool::new(false), ready: Barrier::new(2) }
    }

    pub fn load(&self) {
        *self.page.lock().unwrap() = Some("welcome");
        self.loaded.store(true, Ordering::SeqCst);
        self.ready.wait();
    }

    pub fn page(&self) -> &'static str {
        if !self.loaded.load(Ordering::SeqCst) {
            self.ready.wait();
        }
        self.page.lock().unwrap().expect("it is loaded")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_page_is_there() {
        let loader = Loader::new();
        thread::scope(|s| {
            s.spawn(|| loader.load());
            assert_eq!(loader.page(), "welcome");
        });
    }
}
