//! Panics of the program under test: seen by a hook, kept for the report, not printed.

use std::any::Any;
use std::sync::Once;

use caissa_core::TaskId;

/// Panics that are caught leave no other trace; so many are remembered.
const MAX_SEEN: usize = 16;

const CANNOT_UNWIND: [&str; 2] =
    ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

/// A panic that the hook saw.
#[derive(Clone, Debug)]
pub(crate) struct SeenPanic {
    pub(crate) task: TaskId,
    pub(crate) message: String,
    /// As `file:line:column`.
    pub(crate) source: String,
}

/// The text of a panic's payload.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic whose payload is not text".to_owned()
    }
}

/// Installs the hook, once for the process. Panics of tasks are kept with their engine; all others go to the hook that
/// was there before.
pub(crate) fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place =
                || info.location().map_or_else(|| "an unknown place".to_owned(), |place| place.to_string());
            if let Some(peek) = super::peek() {
                return peek.panicked(message(info.payload()), place());
            }
            let Some(rt) = super::inside().filter(|rt| rt.engine().in_task) else {
                return before(info);
            };
            let engine = rt.engine();
            let seen = SeenPanic { task: engine.running, message: message(info.payload()), source: place() };
            // std reports a panic that cannot unwind by another one; the first is what people want to know.
            if CANNOT_UNWIND.contains(&seen.message.as_str()) {
                return;
            }
            if engine.seen_panics.len() == MAX_SEEN {
                engine.seen_panics.remove(0);
            }
            engine.seen_panics.push(seen);
        }));
    });
}
