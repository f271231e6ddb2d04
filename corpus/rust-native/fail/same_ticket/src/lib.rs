//! A machine reads the number of the next ticket and writes the one after it: between the two another may
//! draw the same ticket.

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
pub struct Tickets {
    next: AtomicU32,
}

impl Tickets {
    pub fn draw(&self) -> u32 {
        let ticket = self.next.load(Ordering::SeqCst);
        self.next.store(ticket + 1, Ordering::SeqCst);
        ticket
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
