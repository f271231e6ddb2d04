//! A worker takes what is in its inbox and then looks whether the inbox is closed: what came after it had
//! looked and before it was closed stays there.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

pub struct Inbox {
    jobs: Mutex<VecDeque<u32>>,
    closed: AtomicBool,
    worker: Thread,
}

impl Inbox {
    pub fn of_this_thread() -> Self {
        Inbox { jobs: Mutex::default(), closed: AtomicBool::new(false), worker: thread::current() }
    }

    pub fn send(&self, job: u32) {
        self.jobs.lock().unwrap().push_back(job);
        self.worker.unpark();
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.worker.unpark();
    }

    pub fn work(&self) -> u32 {
        let mut done = 0;
        loop {
            done += self.jobs.lock().unwrap().drain(..).sum::<u32>();
            let closed = self.closed.load(Ordering::SeqCst);
            if closed {
                return done;
            }
            thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_done() {
        let inbox = Inbox::of_this_thread();
        thread::scope(|s| {
            s.spawn(|| {
                inbox.send(7);
                inbox.close();
            });
            assert_eq!(inbox.work(), 7);
        });
    }
}
