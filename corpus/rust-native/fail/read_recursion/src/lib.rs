//! The average holds a read lock while it asks for the count, which takes the read lock again: a writer that
//! came in between is waited for, and waits itself.

use std::sync::RwLock;

#[derive(Default)]
pub struct Samples {
    values: RwLock<Vec<u32>>,
}

impl Samples {
    pub fn add(&self, value: u32) {
        self.values.write().unwrap().push(value);
    }

    pub fn count(&self) -> usize {
        self.values.read().unwrap().len()
    }

    pub fn average(&self) -> u32 {
        let values = self.values.read().unwrap();
        let sum: u32 = values.iter().sum();
        sum / self.count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn average_while_one_is_added() {
        let samples = Samples::default();
        samples.add(10);
        thread::scope(|s| {
            s.spawn(|| samples.add(30));
            let average = samples.average();
            assert!(average == 10 || average == 20);
        });
        assert_eq!(samples.count(), 2);
    }
}
