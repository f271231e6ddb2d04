//! A memo table that looks again under the write lock before it inserts.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

#[derive(Default)]
pub struct Pages {
    pages: RwLock<BTreeMap<u32, Arc<String>>>,
}

impl Pages {
    pub fn get(&self, number: u32) -> Arc<String> {
        if let Some(page) = self.pages.read().unwrap().get(&number) {
            return page.clone();
        }
        let page = Arc::new(format!("page {number}"));
        self.pages.write().unwrap().entry(number).or_insert(page).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_get_the_same_page() {
        let pages = Pages::default();
        let (mine, others) = thread::scope(|s| {
            let other = s.spawn(|| pages.get(7));
            (pages.get(7), other.join().unwrap())
        });
        assert!(Arc::ptr_eq(&mine, &others), "two pages 7");
    }
}
