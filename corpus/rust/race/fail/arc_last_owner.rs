// The last owner, by a look at the count. Arc::strong_count says that nobody else has the value
// any more, but orders nothing: the write is not ordered after what the other owner did.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/arc_last_owner.rs

struct Owned(Pair);

pub fn arc_last_owner() {
    let mine = Arc::new(Owned(Pair::new()));
    let child = {
        let owned = mine.clone();
        thread::spawn(move || {
            let seen = owned.0.read(); // race
            assert_eq!(seen, 0);
        })
    };
    thread::yield_now();
    if Arc::strong_count(&mine) == 1 {
        mine.0.write(9); // race
    }
    child.join().unwrap();
}
