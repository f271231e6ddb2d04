//! A machine draws the number of the next ticket and counts on in one step.

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
pub struct Tickets {
    next: AtomicU32,
}

impl Tickets {
    pub fn draw(&self) -> u32 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn tickets_differ() {
        let tickets = Tickets::default();
        thread::scope(|s| {
            let other = s.spawn(|| tickets.draw());
            let mine = tickets.draw();
            assert_ne!(mine, other.join().unwrap());
        });
    }
}
