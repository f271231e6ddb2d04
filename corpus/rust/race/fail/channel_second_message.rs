// One message too few. The writer writes, sends, writes again and sends again; the reader reads
// after the first of the two messages.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/channel_second_message.rs

pub fn channel_second_message() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            for value in 1..=2 {
                pair.write(value); // race
                tx.send(value).unwrap();
            }
        });
        rx.recv().unwrap();
        pair.read(); // race
    });
}
