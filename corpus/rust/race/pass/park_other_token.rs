// The token of the writer. What comes before unpark is ordered before the return of the park
// that takes the token.
// origin: folklore
// faults: 0
// verdict: verified
// twin: fail/park_other_token.rs

pub fn park_other_token() {
    let pair = Arc::new(Pair::new());
    let reader = {
        let pair = pair.clone();
        thread::spawn(move || {
            thread::park();
            pair.read();
        })
    };
    let writer = {
        let (pair, reader) = (pair.clone(), reader.thread().clone());
        thread::spawn(move || {
            pair.write(1);
            reader.unpark();
        })
    };
    reader.join().unwrap();
    writer.join().unwrap();
}
