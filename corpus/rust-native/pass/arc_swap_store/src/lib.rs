//! A list is extended by rcu, which begins again if another has stored one meanwhile (arc-swap).

use arc_swap::ArcSwap;
use std::sync::Arc;

#[derive(Default)]
pub struct Routes {
    list: ArcSwap<Vec<u32>>,
}

fn extended(list: &[u32], route: u32) -> Vec<u32> {
    [list, &[route]].concat()
}

impl Routes {
    pub fn add(&self, route: u32) {
        self.list.rcu(|list| Arc::new(extended(list, route)));
    }

    pub fn count(&self) -> usize {
        self.list.load().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_are_listed() {
        let routes = Routes::default();
        thread::scope(|s| {
            s.spawn(|| routes.add(1));
            routes.add(2);
        });
        assert_eq!(routes.count(), 2);
    }
}
