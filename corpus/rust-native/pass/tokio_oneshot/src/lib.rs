//! Who answers sends, and says whether the asker still listened (tokio).

use tokio::sync::oneshot;

/// Says whether the answer was heard.
pub fn answer(reply: oneshot::Sender<u32>) -> bool {
    reply.send(42).is_ok()
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
