//! Two workers conclude the same as one.

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Report, Search, Verdict, thread};

type Program = (&'static str, fn());

fn add_one(shared: &AtomicUsize) {
    shared.fetch_add(1, SeqCst);
}

fn counters() {
    let shared = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..2).for_each(|_| add_one(&shared)))
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(shared.load(SeqCst), 6);
}

fn locked_counters() {
    let shared = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..2).for_each(|_| *shared.lock().unwrap() += 1))
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(*shared.lock().unwrap(), 4);
}

fn choices() {
    let shared = Arc::new(AtomicUsize::new(0));
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || shared.store(1 + caissa::choose(3), SeqCst))
    };
    let seen = shared.load(SeqCst) + caissa::choose(2);
    other.join().unwrap();
    assert!(seen <= 4);
}

fn lost_update() {
    let shared = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.store(shared.load(SeqCst) + 1, SeqCst))
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(shared.load(SeqCst), 3);
}

fn opposite_locks() {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let other = {
        let (a, b) = (Arc::clone(&a), Arc::clone(&b));
        thread::spawn(move || {
            let _b = b.lock().unwrap();
            drop(a.lock().unwrap());
        })
    };
    {
        let _a = a.lock().unwrap();
        drop(b.lock().unwrap());
    }
    other.join().unwrap();
}

const PASSING: [Program; 3] =
    [("counters", counters), ("locked counters", locked_counters), ("choices", choices)];
const FAILING: [Program; 2] = [("lost update", lost_update), ("opposite locks", opposite_locks)];

fn searches() -> Vec<Builder> {
    let new = Builder::new;
    vec![
        new(),
        new().unbounded(),
        new().search(Search::Dfs),
        new().delays(3),
        new().search(Search::Delays).unbounded(),
        new().delays(2).scheduler("depth-first"),
        new().search(Search::Contexts).bound(4),
        new().search(Search::Depth).bound(6),
    ]
}

fn with_workers(builder: &Builder, workers: usize, program: fn()) -> Report {
    builder.clone().workers(workers).explore(program).unwrap()
}

#[test]
fn two_workers_run_the_same_executions_as_one() {
    for (index, search) in searches().iter().enumerate() {
        for (name, program) in PASSING {
            let (one, two) = (with_workers(search, 1, program), with_workers(search, 2, program));
            assert!(matches!(one.verdict, Verdict::Verified | Verdict::Bounded), "{name} {index}: {one}");
            assert_eq!((one.verdict, one.bound()), (two.verdict, two.bound()), "{name} {index}");
            assert_eq!(one.summary.bounds, two.summary.bounds, "{name}, search {index}");
            assert_eq!(one.summary.classes(), two.summary.classes(), "{name}, search {index}");
        }
    }
}

#[test]
fn two_workers_find_the_same_bugs_at_the_same_bound() {
    for (index, search) in searches().iter().enumerate() {
        for (name, program) in FAILING {
            let (one, two) = (with_workers(search, 1, program), with_workers(search, 2, program));
            assert_eq!((one.verdict, one.bound()), (two.verdict, two.bound()), "{name}, search {index}");
            let cost = |report: &Report| report.finding.as_ref().map(|found| (found.spent, found.minimal));
            assert_eq!(cost(&one), cost(&two), "{name}, search {index}");
            let schedule = |report: &Report| report.finding.as_ref().map(|found| found.schedule());
            assert_eq!(schedule(&one), schedule(&two), "{name}, search {index}");
            assert_eq!(one.summary.bounds, two.summary.bounds, "{name}, search {index}");
        }
    }
}

/// Fails in many executions, far from the first; jobs behind the one that fails first may well fail sooner.
#[test]
fn the_first_failure_in_order_is_the_finding_whatever_the_number_of_workers() {
    let program: fn() = || {
        let shared = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..3)
            .map(|me: usize| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let own = AtomicUsize::new(0);
                    (0..3).for_each(|n| own.store(n, SeqCst));
                    let _ = shared.compare_exchange(2 - me, 3 - me, SeqCst, SeqCst);
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_ne!(shared.load(SeqCst), 3);
    };
    let new = Builder::new;
    let searches = [new().search(Search::Dfs), new().delays(6), new().search(Search::Contexts).bound(9)];
    for (index, search) in searches.iter().enumerate() {
        let one = with_workers(search, 1, program);
        assert_eq!(one.verdict, Verdict::Bug, "search {index}: {one}");
        assert!(index > 0 || one.executions() > 1_500, "more than one job: {one}");
        for workers in [2, 3, 5, 5, 5] {
            let more = with_workers(search, workers, program);
            let found = |report: &Report| report.summary.failure.clone();
            assert_eq!(found(&one), found(&more), "search {index}, {workers} workers");
            assert_eq!(one.summary.bounds, more.summary.bounds, "search {index}, {workers} workers");
        }
    }
}

#[test]
fn many_small_jobs_are_shared_without_loss() {
    let program: fn() = || {
        let shared = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || (0..6).for_each(|_| add_one(&shared)))
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    let search = Builder::new().search(Search::Dfs);
    let (one, two) = (with_workers(&search, 1, program), with_workers(&search, 2, program));
    assert_eq!((one.verdict, two.verdict), (Verdict::Verified, Verdict::Verified));
    assert_eq!(one.summary.bounds, two.summary.bounds);
    assert!(one.executions() > 4096, "more than one job: {one}");
}
