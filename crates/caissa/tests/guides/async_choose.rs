use caissa::future::block_on;
use caissa::future::sync::mpsc;
use futures::future::{Either, select};
use std::pin::pin;

#[test]
fn either_channel_may_be_looked_at_first() {
    caissa::check(|| {
        let (one, mut ones) = mpsc::unbounded_channel();
        let (two, mut twos) = mpsc::unbounded_channel();
        one.send(1).unwrap();
        two.send(2).unwrap();
        let first = block_on(async {
            let (ones, twos) = (pin!(ones.recv()), pin!(twos.recv()));
            // Which one a fair `select!` would look at first, as a choice that is explored.
            let winner =
                if caissa::choose(2) == 0 { select(ones, twos).await } else { select(twos, ones).await };
            match winner {
                Either::Left((message, _)) | Either::Right((message, _)) => message,
            }
        });
        assert!(matches!(first, Some(1 | 2)));
    });
}
