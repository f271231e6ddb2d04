//! Who gets only one of two locks puts it back and begins again; all take them in the order of their numbers,
//! so that one always gets through.

use std::sync::Mutex;
use std::thread;

pub struct Shelf {
    places: [Mutex<u32>; 2],
}

impl Shelf {
    pub fn new(left: u32, right: u32) -> Self {
        Shelf { places: [Mutex::new(left), Mutex::new(right)] }
    }

    pub fn swap(&self, from: usize, to: usize) {
        let (first, second) = (from.min(to), from.max(to));
        loop {
            let mut one = self.places[first].lock().unwrap();
            if let Ok(mut other) = self.places[second].try_lock() {
                std::mem::swap(&mut *one, &mut *other);
                return;
            }
            thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_swaps_once() {
        let shelf = Shelf::new(1, 2);
        thread::scope(|s| {
            s.spawn(|| shelf.swap(0, 1));
            shelf.swap(1, 0);
        });
        assert_eq!(*shelf.places[0].lock().unwrap(), 1);
    }
}
