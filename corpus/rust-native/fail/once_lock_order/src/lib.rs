//! The limit is computed once, under its cell and then the lock of the names; who registers has that lock and
//! then asks for the limit, the other way round.

use std::sync::{Mutex, OnceLock};

#[derive(Default)]
pub struct Registry {
    names: Mutex<Vec<&'static str>>,
    limit: OnceLock<usize>,
}

impl Registry {
    pub fn limit(&self) -> usize {
        *self.limit.get_or_init(|| self.names.lock().unwrap().len() + 1)
    }

    pub fn register(&self, name: &'static str) -> bool {
        let mut names = self.names.lock().unwrap();
        let limit = *self.limit.get_or_init(|| names.len() + 1);
        if names.len() >= limit {
            return false;
        }
        names.push(name);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn limit_while_one_registers() {
        let registry = Registry::default();
        thread::scope(|s| {
            s.spawn(|| assert!(registry.register("clock")));
            assert_eq!(registry.limit(), 1);
        });
    }
}
