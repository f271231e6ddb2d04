//! Ctrl-C, and being told to end: the first one ends a search in good order, the second one the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A flag that is set by the first interrupt. `None` if it cannot be caught.
pub fn flag() -> Option<&'static AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&flag)).ok()?;
        signal_hook::flag::register(signal, Arc::clone(&flag)).ok()?;
    }
    let kept: &'static Arc<AtomicBool> = Box::leak(Box::new(flag));
    Some(kept)
}
