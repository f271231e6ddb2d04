//! A list is loaded, extended and stored, over what another has stored since it was loaded (arc-swap).

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
        let list = self.list.load_full();
        self.list.store(Arc::new(extended(&list, route)));
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
