use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

struct Slot {
    full: AtomicBool,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is written before `full` is set and read only after.
unsafe impl Sync for Slot {}

#[test]
fn the_value_is_read_after_it_was_written() {
    loom::model(|| {
        let slot = Arc::new(Slot { full: AtomicBool::new(false), value: UnsafeCell::new(0) });
        let writer = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || {
                // SAFETY: nobody reads before `full` is set.
                slot.value.with_mut(|value| unsafe { *value = 7 });
                slot.full.store(true, Ordering::Release);
            })
        };
        if slot.full.load(Ordering::Acquire) {
            // SAFETY: the writer has finished.
            assert_eq!(slot.value.with(|value| unsafe { *value }), 7);
        }
        writer.join().unwrap();
    });
}
