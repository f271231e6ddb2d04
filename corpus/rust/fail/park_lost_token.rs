// Lost park token. A task parks twice, once for each of two parcels; the main task unparks it after
// each delivery. The token does not count: two unparks before the first park leave one token, and
// the second park never returns.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/park_lost_token.rs

pub fn park_lost_token() {
    let receiver = thread::spawn(|| {
        for _parcel in 0..2 {
            thread::park();
        }
    });
    for _parcel in 0..2 {
        receiver.thread().unpark();
    }
    receiver.join().unwrap();
}
