//! A LazyLock takes the mode at its first use, and the mode is set before the service that uses it is
//! started.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static STRICT: AtomicBool = AtomicBool::new(false);

static PARSER: LazyLock<Parser> = LazyLock::new(|| Parser { strict: STRICT.load(Ordering::SeqCst) });

pub struct Parser {
    strict: bool,
}

impl Parser {
    pub fn accepts(&self, line: &str) -> bool {
        !self.strict || line.ends_with(';')
    }
}

pub fn start(strict: bool) {
    thread::scope(|s| {
        STRICT.store(strict, Ordering::SeqCst);
        let service = s.spawn(|| PARSER.accepts("hello;"));
        assert!(service.join().unwrap());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_is_strict() {
        start(true);
        assert!(!PARSER.accepts("hello"));
    }
}
