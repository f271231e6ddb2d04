//! Preemption sealing by guards: in figures, in every search, nested, with fairness, with replays. By names: seal_names.rs.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex as StdMutex;

use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{
    Builder, Delaying, Error, Misuse, Report, Search, TaskId, TaskSet, Verdict, future, hint, no_preempt,
    preempt_only, thread,
};

fn explore(builder: Builder, f: impl Fn() + Send + Sync + 'static) -> Report {
    builder.explore(f).unwrap_or_else(|error| panic!("{error}"))
}

fn dfs() -> Builder {
    Builder::new().search(Search::Dfs)
}

/// Which of its operations a task does in a sealed scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sealed {
    None,
    All,
    /// From this one (the first is 0) up to before that one.
    From(usize, usize),
}

/// A task of `steps` operations and its end.
#[derive(Clone, Copy, Debug)]
struct Worker {
    steps: usize,
    sealed: Sealed,
}

impl Worker {
    fn new(steps: usize, sealed: Sealed) -> Worker {
        Worker { steps, sealed }
    }

    /// How many parts its steps fall into, between which it can be left. The point before the first sealed operation is sealed too.
    fn parts(self) -> usize {
        let ops = match self.sealed {
            Sealed::None => self.steps,
            Sealed::All => 1,
            Sealed::From(first, end) => self.steps - (end - first.max(1)),
        };
        ops + 1
    }

    fn run(self, number: &AtomicUsize) -> Vec<usize> {
        let add = || number.fetch_add(1, SeqCst);
        match self.sealed {
            Sealed::None => (0..self.steps).map(|_| add()).collect(),
            Sealed::All => {
                let _sealed = no_preempt();
                (0..self.steps).map(|_| add()).collect()
            }
            Sealed::From(first, end) => {
                let mut found: Vec<usize> = (0..first).map(|_| add()).collect();
                let sealed = no_preempt();
                found.extend((first..end).map(|_| add()));
                drop(sealed);
                found.extend((end..self.steps).map(|_| add()));
                found
            }
        }
    }
}

type Seen = Arc<StdMutex<BTreeSet<Vec<Vec<usize>>>>>;

/// What the tasks of one execution found; goes to the outcomes with the last of them.
struct Outcome {
    found: StdMutex<Vec<Vec<usize>>>,
    seen: Seen,
}

impl Drop for Outcome {
    fn drop(&mut self) {
        let found = std::mem::take(&mut *self.found.lock().unwrap());
        // Otherwise the execution was cut.
        if found.iter().all(|found| !found.is_empty()) {
            self.seen.lock().unwrap().insert(found);
        }
    }
}

/// The main task spawns these without being left, and ends.
fn program(workers: &[Worker], seen: &Seen) -> impl Fn() + Send + Sync + 'static {
    let (workers, seen) = (workers.to_vec(), Arc::clone(seen));
    move || {
        let _sealed = no_preempt();
        let number = Arc::new(AtomicUsize::new(0));
        let found = StdMutex::new(vec![Vec::new(); workers.len()]);
        let outcome = Arc::new(Outcome { found, seen: Arc::clone(&seen) });
        for (index, &worker) in workers.iter().enumerate() {
            let (number, outcome) = (Arc::clone(&number), Arc::clone(&outcome));
            thread::spawn(move || {
                let found = worker.run(&number);
                outcome.found.lock().unwrap()[index] = found;
            });
        }
    }
}

/// In how many orders the parts of tasks can come: the multinomial coefficient.
fn orders(parts: &[usize]) -> u64 {
    let mut orders = 1;
    let mut total = 0;
    for &part in parts {
        for taken in 1..=part as u64 {
            total += 1;
            orders = orders * total / taken;
        }
    }
    orders
}

/// What a search runs, and how many outcomes it shows.
fn figures(builder: Builder, workers: &[Worker]) -> (Report, usize) {
    let seen = Seen::default();
    let report = explore(builder, program(workers, &seen));
    let outcomes = seen.lock().unwrap().len();
    (report, outcomes)
}

const CASES: [[Sealed; 2]; 8] = [
    [Sealed::None, Sealed::None],
    [Sealed::All, Sealed::None],
    [Sealed::None, Sealed::All],
    [Sealed::All, Sealed::All],
    [Sealed::From(0, 2), Sealed::None],
    [Sealed::From(1, 3), Sealed::None],
    [Sealed::From(2, 3), Sealed::From(1, 2)],
    [Sealed::From(1, 1), Sealed::None],
];

/// A task that is sealed as a whole stands as one step among those of the others; one that is sealed in part as fewer.
#[test]
fn sealed_operations_are_one_with_those_before_them() {
    assert_eq!(orders(&[1, 2]), 3);
    assert_eq!(orders(&[2, 2, 2]), 90);
    for [a, b] in CASES {
        let workers = [Worker::new(3, a), Worker::new(2, b)];
        let parts = workers.map(Worker::parts);
        // The main task's end is a part of its own; it does not show in the outcomes, nor do the ends of the others.
        let (report, outcomes) = figures(dfs(), &workers);
        assert_eq!(report.executions(), orders(&[1, parts[0], parts[1]]), "{a:?} {b:?}");
        assert_eq!(outcomes as u64, orders(&[parts[0] - 1, parts[1] - 1]), "{a:?} {b:?}");
        // Where the main task spawns, others were enabled.
        assert_eq!(report.verdict, Verdict::Bounded);
        assert_eq!(report.sealed(), Some("no preemption in scopes of `caissa::no_preempt()`"));
    }
}

/// A user's scheduler: the task with the highest number first, delayed ones last.
#[derive(Clone, Default)]
struct Youngest {
    pending: Vec<TaskId>,
    delayed: Vec<TaskId>,
}

impl Delaying for Youngest {
    fn reset(&mut self) {
        *self = Youngest::default();
    }
    fn give(&mut self, task: TaskId, _fresh: bool) {
        assert!(!self.pending.contains(&task) && !self.delayed.contains(&task), "it is there already");
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
fn every_search_runs_the_same_executions() {
    let unbounded = |search| Builder::new().search(search).unbounded();
    let searches = [
        unbounded(Search::Preemptions),
        unbounded(Search::Delays),
        unbounded(Search::Delays).scheduler("depth-first"),
        unbounded(Search::Delays).scheduler("depth-first-plain"),
        unbounded(Search::Delays).register_scheduler("youngest", Youngest::default).scheduler("youngest"),
        unbounded(Search::Contexts),
        unbounded(Search::Depth),
        unbounded(Search::Preemptions).workers(2),
    ];
    for [a, b] in CASES {
        let workers = [Worker::new(3, a), Worker::new(2, b)];
        let parts = workers.map(Worker::parts);
        let all = orders(&[1, parts[0], parts[1]]);
        for builder in &searches {
            let (report, outcomes) = figures(builder.clone(), &workers);
            assert_eq!(report.executions(), all, "{a:?} {b:?} {report}");
            assert_eq!(outcomes as u64, orders(&[parts[0] - 1, parts[1] - 1]));
            assert_eq!(report.verdict, Verdict::Bounded, "{report}");
            assert!(report.to_string().contains("bounded: every schedule with no preemption in"), "{report}");
        }
    }
}

/// With one preemption a task of n parts can be left in n - 1 places.
#[test]
fn bounds_count_preemptions_where_they_can_be() {
    for sealed in [Sealed::None, Sealed::All, Sealed::From(0, 2), Sealed::From(1, 3)] {
        let workers = [Worker::new(3, sealed), Worker::new(1, Sealed::All)];
        let (report, _) = figures(Builder::new().preemptions(1), &workers);
        let bounds: Vec<u64> = report.summary.bounds.iter().map(|bound| bound.executions).collect();
        // Without preemptions: the main task ends first, then either of the others.
        assert_eq!(bounds[0], 2);
        let parts = workers.map(Worker::parts);
        // Main is left before its end for one of two, which runs to its end; then either of the two that are left.
        let at_main = 2 * 2;
        // The one that runs first is left for the other one; the last one is alone.
        let at_workers: usize = parts.iter().map(|parts| parts - 1).sum();
        assert_eq!(bounds[1], (at_main + at_workers) as u64, "{sealed:?}");
    }
}

#[test]
fn samples_show_no_other_outcomes() {
    for search in [Search::Random, Search::Pct, Search::Pos, Search::Surw, Search::Auto] {
        for [a, b] in CASES {
            let workers = [Worker::new(3, a), Worker::new(2, b)];
            let parts = workers.map(Worker::parts);
            let builder = Builder::new().search(search).unbounded().max_executions(600).pct_depth(6);
            let (report, outcomes) = figures(builder, &workers);
            assert_eq!(outcomes as u64, orders(&[parts[0] - 1, parts[1] - 1]), "{search:?} {a:?} {b:?}");
            assert!(report.sealed().is_some());
        }
    }
}

/// `task` goes wrong if another task comes between its load and its store; all of it is sealed if `seal`.
fn lost_update(seal: bool) {
    let number = Arc::new(AtomicUsize::new(0));
    let add = |seal: bool| {
        let number = Arc::clone(&number);
        thread::spawn(move || {
            let _sealed = seal.then(no_preempt);
            let seen = number.load(SeqCst);
            number.store(seen + 1, SeqCst);
        })
    };
    let tasks = [add(seal), add(seal)];
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(number.load(SeqCst), 2);
}

#[test]
fn a_bug_in_a_sealed_scope_is_not_found_and_the_verdict_says_so() {
    let found = explore(Builder::new(), || lost_update(false));
    assert_eq!(found.verdict, Verdict::Bug);
    assert_eq!(found.sealed(), None);
    let report = explore(Builder::new().unbounded(), || lost_update(true));
    assert_eq!(report.verdict, Verdict::Bounded);
    let text = report.to_string();
    let words = "every schedule with no preemption in scopes of `caissa::no_preempt()` was explored";
    assert!(text.contains(words), "{text}");
    let bounded = explore(Builder::new().preemptions(1), || lost_update(true)).to_string();
    let words =
        "among schedules with no preemption in scopes of `caissa::no_preempt()`, no bug with at most 1";
    assert!(bounded.contains(words), "{bounded}");
    // Its schedule replays with the seals all the same.
    let schedule = found.finding.unwrap().schedule();
    let replayed = explore(Builder::new().replay(&schedule), || lost_update(true));
    assert_eq!(replayed.verdict, Verdict::Bug, "{replayed}");
    assert_eq!(replayed.sealed(), None);
}

/// The bug is that of one task alone: the other one is sealed.
fn one_sided(seal: bool) {
    let number = Arc::new(AtomicUsize::new(0));
    let other = {
        let number = Arc::clone(&number);
        thread::spawn(move || {
            let _sealed = seal.then(no_preempt);
            (0..3).for_each(|_| _ = number.fetch_add(1, SeqCst));
        })
    };
    let seen = number.load(SeqCst);
    number.store(seen + 1, SeqCst);
    other.join().unwrap();
    assert_eq!(number.load(SeqCst), 4);
}

#[test]
fn a_schedule_made_under_seals_replays_without_them() {
    let searches = Search::ALL.into_iter().map(|(_, search)| Builder::new().search(search).unbounded());
    let depth_first = Builder::new().search(Search::Delays).scheduler("depth-first");
    for builder in searches.chain([depth_first]) {
        let report = explore(builder, || one_sided(true));
        let finding = report.finding.as_ref().unwrap_or_else(|| panic!("{report}"));
        assert!(!finding.minimal, "a sealed schedule may need fewer");
        let schedule = finding.schedule();
        for seal in [false, true] {
            let again = explore(Builder::new().replay(&schedule), move || one_sided(seal));
            assert_eq!(again.finding.unwrap().trace, finding.trace, "{seal}");
        }
    }
}

/// Findings are made small without leaving tasks where they are sealed.
#[test]
fn minimised_schedules_keep_to_the_seals() {
    for search in [Search::Random, Search::Preemptions, Search::Delays] {
        let report = explore(Builder::new().search(search).unbounded(), || one_sided(true));
        let trace = report.finding.unwrap().trace;
        // Task 1 is sealed up to its end; it is left by nobody before that.
        let preempted: Vec<_> = trace.events.iter().filter_map(|event| event.preempts).collect();
        assert!(!preempted.is_empty());
        for (index, event) in trace.events.iter().enumerate() {
            let before = trace.events[..index].iter().filter(|event| event.task.0 == 1).count();
            assert!(event.preempts.is_none_or(|task| task.0 != 1) || before >= 3, "{trace:?}");
        }
    }
}

#[test]
fn scopes_nest_and_end_with_their_guard() {
    let task = |number: &AtomicUsize, depth: usize| {
        let _outer = no_preempt();
        let inner: Vec<_> = (0..depth).map(|_| no_preempt()).collect();
        let first = number.fetch_add(1, SeqCst);
        drop(inner);
        // Still in the outer one.
        assert_eq!(number.fetch_add(1, SeqCst), first + 1);
    };
    let report = explore(dfs(), move || {
        let number = Arc::new(AtomicUsize::new(0));
        thread::scope(|scope| {
            for depth in [0, 2] {
                let number = &number;
                scope.spawn(move || task(number, depth));
            }
        });
    });
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
    // A guard that is dropped at once seals nothing that follows.
    let report = explore(dfs(), || {
        drop(no_preempt());
        lost_update(false);
    });
    assert_eq!((report.verdict, report.sealed()), (Verdict::Bug, None));
}

#[test]
fn unwinding_ends_a_scope_and_a_forgotten_guard_ends_with_its_task() {
    let report = explore(dfs(), || {
        let panics = || {
            let _sealed = no_preempt();
            std::panic::resume_unwind(Box::new(()));
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        thread::spawn(|| std::mem::forget(no_preempt())).join().unwrap();
        lost_update(false);
    });
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    // A guard is its task's: what that spawns is not sealed, and others are not.
    let report = explore(dfs(), || {
        let _sealed = no_preempt();
        lost_update(false);
    });
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
}

/// Preemptions in the scopes of guards only: those outside need none.
#[test]
fn with_preempt_only_tasks_are_left_nowhere_else() {
    let program = |open: bool| {
        let number = Arc::new(AtomicUsize::new(0));
        let add = |open: bool| {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                let _open = open.then(preempt_only);
                let first = number.fetch_add(1, SeqCst);
                assert!(open || number.fetch_add(1, SeqCst) == first + 1);
                number.load(SeqCst)
            })
        };
        let tasks = [add(open), add(false)];
        // Met in each execution, so that it is known.
        drop(preempt_only());
        tasks.into_iter().for_each(|task| _ = task.join().unwrap());
    };
    for open in [false, true] {
        let report = explore(dfs(), move || program(open));
        assert_eq!(report.verdict, Verdict::Bounded, "{report}");
        assert_eq!(report.sealed(), Some("preemptions only in scopes of `caissa::preempt_only()`"));
    }
    // The bug is found where the scope is open, and not where it is also closed.
    let update = |open: bool, close: bool| {
        let number = Arc::new(AtomicUsize::new(0));
        let other = {
            let number = Arc::clone(&number);
            thread::spawn(move || _ = number.fetch_add(1, SeqCst))
        };
        let _closed = close.then(no_preempt);
        let scope = preempt_only();
        // The point that matters is the one before the store.
        let seen = number.load(SeqCst);
        let _scope = Some(scope).filter(|_| open);
        number.store(seen + 1, SeqCst);
        other.join().unwrap();
        assert_eq!(number.load(SeqCst), 2);
    };
    for (open, close) in [(true, false), (false, false), (true, true)] {
        let report = explore(dfs(), move || update(open, close));
        let expected = if open && !close { Verdict::Bug } else { Verdict::Bounded };
        assert_eq!(report.verdict, expected, "{open} {close} {report}");
    }
}

#[test]
fn a_first_guard_of_preempt_only_that_comes_late_is_refused() {
    let program = |announced: bool| {
        if announced {
            drop(preempt_only());
        }
        let flag = Arc::new(AtomicBool::new(false));
        let other = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.store(true, SeqCst))
        };
        // Not so in the first execution.
        if flag.load(SeqCst) {
            let _open = preempt_only();
            flag.store(false, SeqCst);
        }
        other.join().unwrap();
    };
    for search in [Search::Preemptions, Search::Random] {
        let error = Builder::new().search(search).explore(move || program(false)).unwrap_err();
        assert!(matches!(error, Error::Misuse(Misuse::LateScope { .. })), "{error}");
        for word in ["seal.rs:", "first execution", "drop(caissa::preempt_only())"] {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
    let report = explore(Builder::new(), move || program(true));
    assert_eq!(report.verdict, Verdict::Bounded);
}

/// The lock is held by another task: a sealed task that blocks is left, and one that spins is in the end.
#[test]
fn a_sealed_task_blocks_and_yields_as_ever() {
    let locks = || {
        let number = Arc::new(Mutex::new(0));
        let add = || {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                let _sealed = no_preempt();
                *number.lock().unwrap() += 1;
            })
        };
        let tasks = [add(), add()];
        let held = number.lock().unwrap();
        thread::yield_now();
        drop(held);
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(*number.lock().unwrap(), 2);
    };
    assert_eq!(explore(dfs(), locks).verdict, Verdict::Bounded);
    let spins = || {
        let ready = Arc::new(AtomicBool::new(false));
        let other = {
            let ready = Arc::clone(&ready);
            thread::spawn(move || ready.store(true, SeqCst))
        };
        let _sealed = no_preempt();
        while !ready.load(SeqCst) {
            hint::spin_loop();
        }
        other.join().unwrap();
    };
    for (_, search) in Search::ALL {
        let report = explore(Builder::new().search(search).unbounded().max_steps(200), spins);
        let sampled = search.policy().is_some();
        assert_eq!(report.verdict, if sampled { Verdict::Incomplete } else { Verdict::Bounded }, "{report}");
        assert_eq!(report.summary.step_limited(), 0, "{report}");
    }
}

/// An async task that holds a guard while it awaits is left there.
#[test]
fn a_guard_may_be_held_while_its_task_awaits() {
    let report = explore(dfs(), || {
        let (sender, receiver) = future::sync::oneshot::channel();
        let number = Arc::new(AtomicUsize::new(0));
        let other = {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                number.fetch_add(1, SeqCst);
                sender.send(()).unwrap();
            })
        };
        future::block_on(async {
            let _sealed = no_preempt();
            let first = number.fetch_add(1, SeqCst);
            assert_eq!(number.fetch_add(1, SeqCst), first + 1);
            receiver.await.unwrap();
            assert_eq!(number.load(SeqCst), 3);
        });
        other.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
}

/// Equivalent executions are not left out where guards seal: the search begins again without.
#[test]
fn a_reduced_search_leaves_out_nothing_once_a_guard_seals() {
    let workers = [Worker::new(3, Sealed::From(0, 2)), Worker::new(2, Sealed::None)];
    let (report, outcomes) = figures(dfs().reduce(true), &workers);
    let (whole, all) = figures(dfs(), &workers);
    assert_eq!((report.executions(), outcomes), (whole.executions(), all));
}

#[test]
fn outside_a_check_guards_do_nothing() {
    let (_sealed, _open) = (no_preempt(), preempt_only());
    let report = explore(Builder::new(), || lost_update(false));
    assert_eq!((report.verdict, report.sealed()), (Verdict::Bug, None));
    assert_eq!(format!("{:?} {:?}", no_preempt(), preempt_only()), "NoPreempt { .. } PreemptOnly { .. }");
}

/// A guard that outlives its execution has nothing to end.
#[test]
fn guards_that_are_kept_too_long_do_no_harm() {
    thread_local! {
        static KEPT: std::cell::RefCell<Vec<caissa::NoPreempt>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    let program = || {
        KEPT.with_borrow_mut(|kept| {
            kept.clear();
            kept.push(no_preempt());
        });
        lost_update(false);
    };
    assert_eq!(explore(dfs(), program).verdict, Verdict::Bug);
    KEPT.with_borrow_mut(Vec::clear);
}

#[test]
fn a_search_that_goes_on_from_a_file_knows_what_was_sealed() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("seal.resume");
    let _ = std::fs::remove_file(&path);
    let workers = [Worker::new(3, Sealed::From(0, 2)), Worker::new(3, Sealed::None)];
    let (whole, _) = figures(dfs(), &workers);
    let mut last = None;
    for budget in (10..).step_by(10) {
        let (report, _) = figures(dfs().resume(&path).max_executions(budget), &workers);
        if report.verdict != Verdict::Incomplete {
            last = Some(report);
            break;
        }
        assert!(report.to_string().contains("incomplete: among schedules with no preemption in"), "{report}");
    }
    let last = last.unwrap();
    assert_eq!((last.executions(), last.verdict), (whole.executions(), Verdict::Bounded));
    assert_eq!(last.sealed(), whole.sealed());
}
