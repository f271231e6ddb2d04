//! A visit is counted by a load and a store with an await in between, and tasks that another worker runs do
//! the same (tokio, multi-thread runtime).

use std::sync::atomic::{AtomicU32, Ordering};
use tokio::task::yield_now;

#[derive(Default)]
pub struct Page {
    visits: AtomicU32,
}

impl Page {
    pub async fn visit(&self) {
        let visits = self.visits.load(Ordering::SeqCst);
        yield_now().await;
        self.visits.store(visits + 1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::runtime::Builder;

    #[test]
    fn two_tasks() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let page = Arc::new(Page::default());
        let others = page.clone();
        runtime.block_on(async {
            let other = tokio::spawn(async move { others.visit().await });
            page.visit().await;
            other.await.unwrap();
        });
        assert_eq!(page.visits.load(Ordering::SeqCst), 2);
    }
}
