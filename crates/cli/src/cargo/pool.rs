//! Several tests are explored at the same time, while somebody shows what comes of them and how far it is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::build::Binary;
use super::explore::{Case, Fate, Outcome, Slot, Terms};

/// How often it is looked how far it is.
const TICK: Duration = Duration::from_millis(100);

/// What is heard of the tests.
pub trait Listener {
    /// One begins, by number.
    fn begins(&mut self, case: usize);
    /// What came of one, by number.
    fn ended(&mut self, case: usize, outcome: Outcome);
    /// Called every now and then.
    fn look(&mut self);
}

/// Explores tests, so many at the same time, until the deadline.
pub fn explore(
    cases: &[Case],
    binaries: &[Binary],
    workers: u32,
    deadline: Option<Instant>,
    terms: &Terms,
    listener: &mut dyn Listener,
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for slot in 0..workers {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut slot = Slot::new(slot);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { break };
                    if sender.send((number, None)).is_err() {
                        break;
                    }
                    let outcome = settle(case, &binaries[case.binary], &mut slot, deadline, terms);
                    if sender.send((number, Some(outcome))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok((number, Some(outcome))) => listener.ended(number, outcome),
                Ok((number, None)) => listener.begins(number),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            listener.look();
        }
    });
}

fn settle(
    case: &Case,
    binary: &Binary,
    slot: &mut Slot,
    deadline: Option<Instant>,
    terms: &Terms,
) -> Outcome {
    let how = match &case.fate {
        Fate::Settled(outcome) => return outcome.clone(),
        Fate::Explore(how) => how,
    };
    if terms.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Outcome::NotRun("interrupted".to_owned());
    }
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    if left.is_some_and(|left| left.is_zero()) {
        return Outcome::NotRun("--total-time was used up".to_owned());
    }
    terms.explore(case, how, binary, slot, left)
}
