//! Who answers looks whether the asker still listens, and then counts on that (tokio).

use tokio::sync::oneshot;

/// Says whether the answer was heard.
pub fn answer(reply: oneshot::Sender<u32>) -> bool {
    if reply.is_closed() {
        return false;
    }
    reply.send(42).expect("the asker listens");
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_asker_may_give_up() {
        let (reply, asked) = oneshot::channel();
        thread::scope(|s| {
            s.spawn(move || drop(asked));
            answer(reply);
        });
    }
}
