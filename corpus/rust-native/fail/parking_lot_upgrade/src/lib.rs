//! Names are looked up with an upgradable lock, also by someone who holds a read lock meanwhile: who upgrades
//! waits for that, and is waited for (parking_lot).

use parking_lot::{RwLock, RwLockUpgradableReadGuard};

#[derive(Default)]
pub struct Names {
    names: RwLock<Vec<String>>,
}

impl Names {
    /// The number of this name, a new one if it has none.
    pub fn number(&self, name: &str) -> usize {
        let names = self.names.upgradable_read();
        if let Some(number) = names.iter().position(|known| known == name) {
            return number;
        }
        let mut names = RwLockUpgradableReadGuard::upgrade(names);
        names.push(name.to_string());
        names.len() - 1
    }

    pub fn numbers(&self) -> Vec<usize> {
        let names = self.names.read();
        names.iter().map(|name| self.number(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn all_while_one_is_added() {
        let names = Names::default();
        names.number("Ann");
        thread::scope(|s| {
            s.spawn(|| assert_eq!(names.number("Bob"), 1));
            assert!(matches!(names.numbers()[..], [0] | [0, 1]));
        });
    }
}
