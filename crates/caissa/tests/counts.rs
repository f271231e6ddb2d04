//! Completeness in figures: recorded values tell classes apart, so the outcomes of a search can be counted.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Delaying, Search, TaskId, TaskSet, Verdict, thread};

/// `tasks` tasks add `steps` times to `objects` atomics in turn and record what they found there.
fn recording(tasks: usize, steps: usize, objects: usize, seen: &Seen) -> impl Fn() + Send + Sync + 'static {
    let seen = Arc::clone(seen);
    move || {
        let atomics: Arc<Vec<AtomicUsize>> = Arc::new((0..objects).map(|_| AtomicUsize::new(0)).collect());
        let task = |first: usize| {
            let atomics = Arc::clone(&atomics);
            thread::spawn(move || {
                let found = (0..steps).map(|step| atomics[(first + step) % objects].fetch_add(1, SeqCst));
                found.collect::<Vec<_>>()
            })
        };
        let tasks: Vec<_> = (0..tasks).map(task).collect();
        let outcome: Vec<Vec<usize>> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
        seen.lock().unwrap().insert(outcome);
    }
}

type Seen = Arc<StdMutex<BTreeSet<Vec<Vec<usize>>>>>;

/// How many outcomes and classes a search shows.
fn count(builder: Builder, tasks: usize, steps: usize, objects: usize) -> (usize, u64, Verdict) {
    let seen = Seen::default();
    let report = builder.explore(recording(tasks, steps, objects, &seen)).unwrap();
    let outcomes = seen.lock().unwrap().len();
    (outcomes, report.summary.classes(), report.verdict)
}

#[test]
fn three_tasks_with_two_additions_have_90_outcomes_60_of_them_within_two_preemptions() {
    assert_eq!(count(Builder::new().search(Search::Dfs), 3, 2, 1), (90, 90, Verdict::Verified));
    assert_eq!(count(Builder::new().preemptions(2), 3, 2, 1), (60, 60, Verdict::Bounded));
}

#[test]
fn four_tasks_with_ten_additions_to_three_atomics_have_42_420_classes_within_two_preemptions() {
    assert_eq!(count(Builder::new().preemptions(2), 4, 10, 3), (42_420, 42_420, Verdict::Bounded));
}

/// A user's scheduler: always the task with the highest number, delayed ones last.
#[derive(Clone, Default)]
struct YoungestFirst {
    pending: Vec<TaskId>,
    delayed: Vec<TaskId>,
}

impl Delaying for YoungestFirst {
    fn reset(&mut self) {
        self.pending.clear();
        self.delayed.clear();
    }
    fn give(&mut self, task: TaskId, _fresh: bool) {
        self.pending.push(task);
    }
    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        if !self.pending.iter().any(|&task| enabled.contains(task)) {
            self.pending.append(&mut self.delayed);
        }
        let task = self.pending.iter().copied().filter(|&task| enabled.contains(task)).max()?;
        self.pending.retain(|&other| other != task);
        Some(task)
    }
    fn delay(&mut self, task: TaskId) {
        self.delayed.push(task);
    }
}

#[test]
fn a_users_scheduler_searches_by_its_own_delays_and_reaches_everything_in_the_limit() {
    let builder = || {
        let own = Builder::new().register_scheduler("youngest", YoungestFirst::default);
        own.search(Search::Delays).scheduler("youngest")
    };
    let mut outcomes = Vec::new();
    for bound in 0..3 {
        outcomes.push(count(builder().bound(bound), 3, 2, 1).0);
    }
    assert_eq!(outcomes[0], 1, "without delays it is deterministic");
    assert!(outcomes.is_sorted_by(|a, b| a < b), "{outcomes:?}");
    let (all, classes, verdict) = count(builder().unbounded(), 3, 2, 1);
    assert_eq!((all, classes, verdict), (90, 90, Verdict::Verified));
}

/// A context or depth bound cuts executions; with `finish_cut` each of them runs to its end all the same.
#[test]
fn cut_executions_are_counted_apart_and_can_be_finished() {
    for search in [Search::Contexts, Search::Depth] {
        let seen = Seen::default();
        let builder = Builder::new().search(search).bound(4);
        let cut = builder.clone().explore(recording(2, 2, 1, &seen)).unwrap();
        assert!(cut.summary.bounds.iter().any(|bound| bound.cut > 0), "{cut}");
        assert_eq!(cut.verdict, Verdict::Bounded);
        let cut_outcomes = std::mem::take(&mut *seen.lock().unwrap());
        let finished = builder.finish_cut(7).explore(recording(2, 2, 1, &seen)).unwrap();
        assert_eq!(finished.summary.bounds, cut.summary.bounds, "the figures are those of the bound");
        assert!(seen.lock().unwrap().len() > cut_outcomes.len(), "{search:?}: finished runs show their ends");
    }
}

/// Without a bound, searches by depth and by contexts end with every execution, like any other.
#[test]
fn unbounded_depth_and_contexts_reach_everything() {
    for search in [Search::Depth, Search::Contexts, Search::Preemptions] {
        let (outcomes, _, verdict) = count(Builder::new().search(search).unbounded(), 2, 2, 1);
        assert_eq!((outcomes, verdict), (6, Verdict::Verified), "{search:?}");
    }
}
