//! The gate opens with notify_one, which is kept for who has seen it closed and does not wait yet (tokio).

use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

#[derive(Default)]
pub struct Gate {
    open: AtomicBool,
    changed: Notify,
}

impl Gate {
    /// For one task.
    pub async fn pass(&self) {
        while !self.open.load(Ordering::SeqCst) {
            self.changed.notified().await;
        }
    }

    pub fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollster::block_on;
    use std::thread;

    #[test]
    fn it_opens() {
        let gate = Gate::default();
        thread::scope(|s| {
            s.spawn(|| gate.open());
            block_on(gate.pass());
        });
    }
}
