//! A worker puts a job that is to be tried again into its own queue, which holds one: if the next job is
//! there already it waits for itself (crossbeam-channel).

use crossbeam_channel::{Receiver, Sender};

pub struct Job {
    pub attempts: u32,
}

/// Does so many jobs, each at the last of its attempts.
pub fn work(count: usize, jobs: &Receiver<Job>, retry: &Sender<Job>) {
    let mut done = 0;
    while done < count {
        let mut job = jobs.recv().unwrap();
        job.attempts -= 1;
        if job.attempts > 0 {
            retry.send(job).unwrap();
        } else {
            done += 1;
        }
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
            s.spawn(|| work(2, &jobs, &send));
            send.send(Job { attempts: 2 }).unwrap();
            send.send(Job { attempts: 1 }).unwrap();
        });
        assert!(jobs.is_empty());
    }
}
