//! A worker tries a job again before it takes the next one (crossbeam-channel).

use crossbeam_channel::Receiver;

pub struct Job {
    pub attempts: u32,
}

/// Does so many jobs, each at the last of its attempts.
pub fn work(count: usize, jobs: &Receiver<Job>) {
    let mut done = 0;
    while done < count {
        let mut job = jobs.recv().unwrap();
        while job.attempts > 0 {
            job.attempts -= 1;
        }
        done += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::bounded;
    use std::thread;

    #[test]
    fn two_jobs() {
        let (send, jobs) = bounded(1);
        thread::scope(|s| {
            s.spawn(|| work(2, &jobs));
            send.send(Job { attempts: 2 }).unwrap();
            send.send(Job { attempts: 1 }).unwrap();
        });
        assert!(jobs.is_empty());
    }
}
