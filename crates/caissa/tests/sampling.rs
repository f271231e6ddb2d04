//! Sampling searches: what the literature promises of each policy, seeds, replays.

use std::collections::BTreeMap;
use std::sync::Mutex as StdMutex;

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Report, Search, Stopped, Verdict, thread};

const POLICIES: [Search; 4] = [Search::Random, Search::Pct, Search::Pos, Search::Surw];

/// What every execution saw, in the order of the executions; without the two that come before a search.
fn seen<T, F>(builder: Builder, program: F) -> (Vec<T>, Report)
where
    T: Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    let all = std::sync::Arc::new(StdMutex::new(Vec::new()));
    let here = std::sync::Arc::clone(&all);
    let report = builder
        .explore(move || {
            let one = program();
            here.lock().unwrap().push(one);
        })
        .unwrap();
    let all: Vec<T> = std::mem::take(&mut *all.lock().unwrap());
    (all.into_iter().skip(2).collect(), report)
}

/// How often each thing was seen.
fn counts<T: Ord>(all: Vec<T>) -> BTreeMap<T, u64> {
    let mut counts = BTreeMap::new();
    all.into_iter().for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

/// The main task and another, with so many operations on a shared object each, the other after so many on one of its own.
/// Returns whose the shared operations were, in order.
fn orders(mine: usize, others: usize, noise: usize) -> Vec<u8> {
    let shared = Arc::new(AtomicUsize::new(0));
    let order = std::sync::Arc::new(StdMutex::new(Vec::new()));
    let touch = |shared: &AtomicUsize, order: &StdMutex<Vec<u8>>, who| {
        shared.fetch_add(1, SeqCst);
        order.lock().unwrap().push(who);
    };
    let other = {
        let (shared, order) = (Arc::clone(&shared), std::sync::Arc::clone(&order));
        thread::spawn(move || {
            let own = AtomicUsize::new(0);
            (0..noise).for_each(|_| own.store(1, SeqCst));
            (0..others).for_each(|_| touch(&shared, &order, 1));
        })
    };
    (0..mine).for_each(|_| touch(&shared, &order, 0));
    other.join().unwrap();
    std::sync::Arc::try_unwrap(order).unwrap().into_inner().unwrap()
}

/// The share of executions in which the other task's only shared operation comes first.
fn share_first(search: Search, noise: usize, samples: u64) -> f64 {
    let builder = Builder::new().search(search).seed(3).max_executions(samples);
    let (all, report) = seen(builder, move || orders(1, 1, noise)[0] == 1);
    assert_eq!(report.executions(), samples);
    all.iter().filter(|&&first| first).count() as f64 / samples as f64
}

#[track_caller]
fn assert_close(what: &str, found: f64, expected: f64, samples: u64) {
    let sigma = (expected * (1.0 - expected) / samples as f64).sqrt();
    assert!((found - expected).abs() < 4.0 * sigma, "{what}: {found}, expected {expected} +- {sigma}");
}

#[test]
fn a_random_walk_halves_with_every_operation_before() {
    for noise in 0..4 {
        let expected = 0.5f64.powi(noise as i32 + 1);
        assert_close("random", share_first(Search::Random, noise, 8_000), expected, 8_000);
    }
}

/// The pending operation keeps its priority while the other task's operations do not conflict with it: it is the smallest
/// of noise + 2 draws.
#[test]
fn pos_orders_conflicting_operations_by_their_own_draws() {
    for noise in 0..6 {
        let expected = 1.0 / (noise as f64 + 2.0);
        assert_close("pos", share_first(Search::Pos, noise, 8_000), expected, 8_000);
    }
}

/// Where every operation conflicts, every step is drawn anew, as in a random walk.
#[test]
fn pos_draws_again_after_a_conflict() {
    let builder = Builder::new().search(Search::Pos).max_executions(8_000);
    let (all, _) = seen(builder, || orders(2, 2, 0));
    for (order, count) in counts(all) {
        // As long as both have one left each step is a half.
        let steps = if order[0] == order[1] { 2 } else { 3 };
        assert_close("pos", count as f64 / 8_000.0, 0.5f64.powi(steps), 8_000);
    }
}

/// The sum of squared differences from a uniform distribution, in units of what is expected by chance.
fn unevenness(search: Search, samples: u64) -> f64 {
    let builder = Builder::new().search(search).seed(11).max_executions(samples);
    let (all, _) = seen(builder, || orders(3, 3, 12));
    let counts = counts(all);
    let expected = samples as f64 / 20.0;
    let missing = (20 - counts.len()) as f64 * expected;
    counts.values().map(|&count| (count as f64 - expected).powi(2) / expected).sum::<f64>() + missing
}

/// 20 interleavings of three operations and three: 19 degrees of freedom. A uniform sampler exceeds 44 once in a thousand.
#[test]
fn surw_is_uniform_over_the_interleavings_of_what_is_interesting_and_random_is_not() {
    let surw = unevenness(Search::Surw, 4_000);
    let random = unevenness(Search::Random, 4_000);
    assert!(surw < 44.0, "{surw}");
    assert!(random > 1_000.0, "{random}");
}

/// Fails if every shared operation of the other task, which has much else to do, comes before those of the main task.
fn skewed() {
    let order = orders(3, 3, 20);
    assert_ne!(order, [1, 1, 1, 0, 0, 0]);
}

#[test]
fn surw_needs_fewer_runs_than_random_on_a_skewed_program() {
    let runs = |search| -> u64 {
        let one = |seed| {
            let report = Builder::new().search(search).seed(seed).max_executions(20_000).explore(skewed);
            report.unwrap().executions()
        };
        (0..5).map(one).sum()
    };
    let (surw, random) = (runs(Search::Surw), runs(Search::Random));
    // One in 20, against less than one in a million.
    assert!(surw < 1_000, "{surw}");
    assert_eq!(random, 100_000);
}

/// A bug of depth d: d + 1 operations of two tasks in turn have to come in this order, and each comes once. In between the
/// tasks do other things.
fn of_depth(depth: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let stage = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|me| {
                let stage = Arc::clone(&stage);
                thread::spawn(move || {
                    let own = AtomicUsize::new(0);
                    for number in (0..=depth).filter(|number| number % 2 == me) {
                        own.store(number, SeqCst);
                        let _ = stage.compare_exchange(number, number + 1, SeqCst, SeqCst);
                        own.store(number, SeqCst);
                    }
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_ne!(stage.load(SeqCst), depth + 1);
    }
}

#[test]
fn pct_hits_bugs_of_depth_d_as_often_as_its_bound_says() {
    const SAMPLES: u64 = 5_000;
    for depth in 1..=3 {
        let builder = Builder::new().search(Search::Pct).pct_depth(depth).seed(depth as u64);
        let builder = builder.max_executions(SAMPLES).keep_going(true).minimise(1);
        let report = builder.explore(of_depth(depth as usize)).unwrap();
        assert_eq!((report.verdict, report.executions()), (Verdict::Bug, SAMPLES));
        // Three tasks, and as many steps as the longest execution has.
        let (tasks, steps) = (3.0, report.summary.longest as f64);
        let bound = 1.0 / (tasks * steps.powi(depth as i32 - 1));
        let rate = report.summary.failures as f64 / SAMPLES as f64;
        assert!(rate >= bound, "depth {depth}: {rate}, bound {bound}");
    }
}

/// With one priority for each task and no change, a bug that needs two switches back and forth is out of reach.
#[test]
fn pct_misses_what_is_deeper_than_it_looks() {
    let builder = Builder::new().search(Search::Pct).pct_depth(1).max_executions(5_000);
    let report = builder.clone().explore(of_depth(3)).unwrap();
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
    assert_eq!(builder.pct_depth(3).explore(of_depth(3)).unwrap().verdict, Verdict::Bug);
}

/// A task that polls does not keep the others from running.
#[test]
fn pct_drops_tasks_that_yield() {
    let builder = Builder::new().search(Search::Pct).max_executions(2_000);
    let report = builder.explore(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.store(1, SeqCst))
        };
        while flag.load(SeqCst) == 0 {
            thread::yield_now();
        }
        other.join().unwrap();
    });
    let report = report.unwrap();
    assert_eq!(report.summary.step_limited(), 0, "{report}");
    assert!(report.summary.longest < 100, "{report}");
}

fn lost_update() {
    let shared = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.store(shared.load(SeqCst) + 1, SeqCst))
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(shared.load(SeqCst), 2);
}

fn lost_update_mended() {
    let shared = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.fetch_add(1, SeqCst))
        })
        .collect();
    let befores: usize = tasks.into_iter().map(|task| task.join().unwrap()).sum();
    assert_eq!(befores, 1);
    assert_eq!(shared.load(SeqCst), 2);
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
    let _a = a.lock().unwrap();
    drop(b.lock().unwrap());
    other.join().unwrap_or_default();
}

fn chosen_value() {
    let shared = Arc::new(AtomicUsize::new(0));
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || shared.store(caissa::choose(10), SeqCst))
    };
    let first = shared.load(SeqCst);
    let value = caissa::choose(5);
    other.join().unwrap();
    assert!(first != 7 || value != 3);
}

#[test]
fn every_sampled_finding_replays_by_its_string() {
    let programs: [fn(); 3] = [lost_update, opposite_locks, chosen_value];
    for search in POLICIES {
        for program in programs {
            for seed in 0..5 {
                let builder = Builder::new().search(search).seed(seed);
                // Not minimised: exactly the execution that was drawn.
                for minimise in [1, 2_000] {
                    let report = builder.clone().minimise(minimise).explore(program).unwrap();
                    let found =
                        report.finding.as_ref().unwrap_or_else(|| panic!("{search:?} {seed}: {report}"));
                    let again = Builder::new().replay(&found.schedule()).explore(program).unwrap();
                    assert_eq!(again.verdict, Verdict::Bug, "{search:?} {seed}: {again}");
                    let shown = again.finding.expect("a bug has a finding");
                    assert_eq!(shown.trace.schedule, found.trace.schedule);
                    assert_eq!(shown.preemptions, found.preemptions);
                }
            }
        }
    }
}

#[test]
fn a_finding_of_a_sample_is_not_called_minimal_unless_it_interrupts_nobody() {
    for search in POLICIES {
        let report = Builder::new().search(search).explore(lost_update).unwrap();
        let finding = report.finding.as_ref().expect("it is easy to find");
        assert_eq!((finding.spent, finding.preemptions, finding.minimal), (1, 1, false));
        assert!(report.to_string().contains("needs 1 preemption at most; whether fewer"), "{report}");
    }
}

#[test]
fn nothing_found_is_incomplete_and_says_what_it_means() {
    for search in POLICIES {
        let report = Builder::new().search(search).explore(lost_update_mended).unwrap();
        assert_eq!((report.verdict, report.executions()), (Verdict::Incomplete, 10_000));
        assert_eq!(report.summary.stopped, Some(Stopped::Executions));
        let [sampled] = report.summary.samples[..] else { panic!("one policy: {report}") };
        assert_eq!(sampled.executions, 10_000);
        // Either addition comes first.
        assert_eq!(report.summary.classes(), 2, "{report}");
        let words = format!("10000 executions were sampled by {}", search.name());
        assert!(report.to_string().contains(&words), "{report}");
        assert!(report.to_string().contains("says nothing about the others"), "{report}");
    }
}

#[test]
fn a_seed_fixes_the_samples_and_another_gives_others() {
    for search in POLICIES {
        let run = |seed| {
            let builder = Builder::new().search(search).seed(seed).max_executions(300);
            seen(builder, || (orders(3, 3, 2), caissa::choose(8))).0
        };
        assert_eq!(run(1).len(), 300);
        assert!(run(1) == run(1), "{search:?}");
        assert!(run(1) != run(2), "{search:?}");
    }
}

#[test]
fn workers_change_neither_the_samples_nor_the_finding() {
    for search in POLICIES {
        let run = |workers, program: fn()| {
            let builder = Builder::new().search(search).seed(5).max_executions(5_000);
            builder.workers(workers).explore(program).unwrap()
        };
        let (one, two) = (run(1, lost_update_mended), run(2, lost_update_mended));
        assert_eq!(one.summary, two.summary);
        let (one, two) = (run(1, skewed), run(2, skewed));
        assert_eq!(one.summary, two.summary, "{search:?}");
        let schedule = |report: &Report| report.finding.as_ref().map(|finding| finding.schedule());
        assert_eq!(schedule(&one), schedule(&two));
    }
}

#[test]
fn data_choices_are_sampled_too() {
    for search in POLICIES {
        let builder = Builder::new().search(search).max_executions(3_000);
        let (all, _) = seen(builder, || caissa::choose(3));
        for (value, count) in counts(all) {
            assert_close(&format!("{search:?} {value}"), count as f64 / 3_000.0, 1.0 / 3.0, 3_000);
        }
    }
}
