//! A box office that looks for a free seat and sells it under one and the same lock.

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
        let mut sold = self.sold.lock().unwrap();
        if sold.len() >= self.seats {
            return false;
        }
        sold.push(name);
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
