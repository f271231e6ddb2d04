//! A worker listens for jobs and for the end, and after the end does what is still there (crossbeam-channel).

use crossbeam_channel::{Receiver, select_biased};

pub fn work(jobs: &Receiver<u32>, stop: &Receiver<()>) -> u32 {
    let mut done = 0;
    loop {
        select_biased! {
            recv(jobs) -> job => done += job.expect("jobs end after stop"),
            recv(stop) -> _ => return done + jobs.try_iter().sum::<u32>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;
    use std::thread;

    #[test]
    fn what_was_sent_is_done() {
        let ((jobs_in, jobs), (stop_in, stop)) = (unbounded(), unbounded());
        thread::scope(|s| {
            s.spawn(|| {
                jobs_in.send(7).unwrap();
                stop_in.send(()).unwrap();
            });
            assert_eq!(work(&jobs, &stop), 7);
        });
    }
}
