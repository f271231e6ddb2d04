// The last owner, by dropping. What the owners of an Arc did is ordered before the destructor
// of its value.
// origin: folklore
// verdict: verified
// twin: fail/arc_last_owner.rs

struct Owned(Pair);

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.write(9);
    }
}

pub fn arc_last_owner() {
    let mine = Arc::new(Owned(Pair::new()));
    let child = {
        let owned = mine.clone();
        thread::spawn(move || {
            let seen = owned.0.read();
            assert_eq!(seen, 0);
        })
    };
    thread::yield_now();
    drop(mine);
    child.join().unwrap();
}
