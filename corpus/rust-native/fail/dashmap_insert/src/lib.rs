//! A user is looked up, and made and inserted if there is none: two may find none, and the second replaces
//! the first (dashmap).

use dashmap::DashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

pub struct Users {
    users: DashMap<u32, Arc<String>, BuildHasherDefault<DefaultHasher>>,
}

impl Users {
    pub fn new() -> Self {
        Users { users: DashMap::with_hasher_and_shard_amount(Default::default(), 2) }
    }

    pub fn get(&self, number: u32) -> Arc<String> {
        if let Some(user) = self.users.get(&number) {
            return user.clone();
        }
        let user = Arc::new(format!("user {number}"));
        self.users.insert(number, user.clone());
        user
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_get_the_same_user() {
        let users = Users::new();
        let (mine, others) = thread::scope(|s| {
            let other = s.spawn(|| users.get(7));
            (users.get(7), other.join().unwrap())
        });
        assert!(Arc::ptr_eq(&mine, &others), "two users 7");
    }
}
