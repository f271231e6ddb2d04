// Read after the scope, which has waited for its tasks.
// origin: folklore
// verdict: verified
// twin: fail/scope_read_inside.rs

pub fn scope_read_inside() {
    let pair = Pair::new();
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
        });
    });
    assert_eq!(pair.read(), 1);
}
