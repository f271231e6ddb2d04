//! RUSTSEC-2025-0024, mended: the pointer to the first block is taken away, however late it comes.

#[cfg(test)]
mod tests {
    use crossbeam_channel::unbounded;
    use std::thread;

    #[test]
    fn the_receiver_leaves_while_two_send() {
        let (sender, receiver) = unbounded();
        let other = sender.clone();
        let threads = [sender, other].map(|sender| thread::spawn(move || sender.send(1)));
        drop(receiver);
        for thread in threads {
            let _ = thread.join().unwrap();
        }
    }
}
