//! A LazyLock takes the mode at its first use, and the service that uses it is started before the mode is
//! set.

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
        let service = s.spawn(|| PARSER.accepts("hello;"));
        STRICT.store(strict, Ordering::SeqCst);
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
