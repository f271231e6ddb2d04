//! A box office that looks for a free seat under the lock, lets go of it, and sells the seat under the lock
//! again: the last seat may be sold to both who saw it.

use std::sync::Mutex;

pub struct Show {
    seats: usize,
    sold: Mutex<Vec<&'static str>>,
}

impl Show {
    pub fn new(seats: usize) -> Self {
        Show { seats, sold: Mutex::new(Vec::new()) }
    }

    pub fn free(&self) -> usize {
        self.seats.saturating_sub(self.sold.lock().unwrap().len())
    }

    pub fn book(&self, name: &'static str) -> bool {
        if self.free() == 0 {
            return false;
        }
        self.sold.lock().unwrap().push(name);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_last_seat_is_sold_once() {
        let show = Show::new(1);
        let (ann, bob) = thread::scope(|s| {
            let ann = s.spawn(|| show.book("Ann"));
            let bob = show.book("Bob");
            (ann.join().unwrap(), bob)
        });
        assert!(ann != bob, "one seat, sold to {:?}", show.sold.lock().unwrap());
    }
}
