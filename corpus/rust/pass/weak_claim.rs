// Strong claim. Two tasks claim a post, each once; whoever is refused claims it again when the other has given it
// back. The claim is a strong compare-exchange, which fails only if the post is taken.
// origin: folklore
// verdict: verified, 3 executions
// preemptions: 3, 3 executions
// delays rr: 3, 3 executions
// delays dfs: 3, 3 executions
// twin: fail/weak_claim.rs

struct Post(AtomicUsize);

impl Post {
    /// Whether this task has the post now.
    fn claim(&self, task: usize) -> bool {
        self.0.compare_exchange(0, task, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

pub fn weak_claim() {
    let post = Arc::new(Post(AtomicUsize::new(0)));
    let other = {
        let post = post.clone();
        thread::spawn(move || post.claim(2))
    };
    let mine = post.claim(1);
    let theirs = other.join().unwrap();
    let holder = post.0.load(Ordering::SeqCst);
    // Whoever was refused was refused because the other one had it.
    assert_eq!((mine, theirs), (holder == 1, holder == 2));
    assert!(mine || holder == 2 && post.0.swap(0, Ordering::SeqCst) == 2 && post.claim(1), "free and refused");
}
