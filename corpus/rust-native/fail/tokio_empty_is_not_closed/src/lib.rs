//! After the first item the rest is taken with try_recv, for which a channel that is empty now has ended
//! (tokio, current-thread runtime).

use tokio::sync::mpsc::UnboundedReceiver;

pub async fn sum(mut items: UnboundedReceiver<u32>) -> u32 {
    let mut sum = items.recv().await.unwrap_or(0);
    while let Ok(item) = items.try_recv() {
        sum += item;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use tokio::runtime::Builder;
    use tokio::sync::mpsc::unbounded_channel;

    #[test]
    fn two_items() {
        let (send, items) = unbounded_channel();
        thread::scope(|s| {
            s.spawn(move || [1, 2].map(|item| send.send(item).is_ok()));
            let runtime = Builder::new_current_thread().build().unwrap();
            assert_eq!(runtime.block_on(sum(items)), 3);
        });
    }
}
