//! Fairness and what executions without end are called: the figures of the fairness paper.

use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex, mpsc};
use caissa::time::{Duration, Instant};
use caissa::{Bug, Builder, Points, Report, Search, Verdict, hint, thread};

fn explore(builder: Builder, f: fn()) -> Report {
    builder.explore(f).unwrap()
}

/// The finding replays from its string and shows the same.
fn replays(builder: &Builder, report: &Report, f: fn()) {
    let finding = report.finding.as_ref().unwrap_or_else(|| panic!("{report}"));
    let schedule = finding.schedule();
    assert!(schedule.len() < 200, "{} characters: {schedule}", schedule.len());
    let again = builder.clone().replay(&schedule).explore(f).unwrap();
    assert_eq!(again.verdict, Verdict::Bug, "{again}");
    let found = again.finding.as_ref().unwrap();
    assert_eq!((&found.bug, &found.trace), (&finding.bug, &finding.trace));
}

/// Figure 1: each philosopher holds one fork and tries the other.
fn philosophers_try(second_order: [usize; 2]) {
    let forks = Arc::new([Mutex::new(()), Mutex::new(())]);
    let philosopher = |first: usize| {
        let forks = Arc::clone(&forks);
        thread::spawn(move || {
            loop {
                let _held = forks[first].lock().unwrap();
                if forks[1 - first].try_lock().is_ok() {
                    return;
                }
            }
        })
    };
    let tasks = second_order.map(philosopher);
    tasks.into_iter().for_each(|task| task.join().unwrap());
}

fn figure_1() {
    philosophers_try([0, 1]);
}

fn figure_1_ordered() {
    philosophers_try([0, 0]);
}

#[test]
fn figure_1_is_a_livelock_at_one_preemption() {
    for builder in [Builder::new(), Builder::new().preemptions(1), Builder::new().search(Search::Dfs)] {
        let report = explore(builder.clone(), figure_1);
        assert_eq!(report.verdict, Verdict::Bug, "{report}");
        let finding = report.finding.as_ref().unwrap();
        assert!(matches!(finding.bug, Bug::Livelock { pumped: false, .. }), "{report}");
        assert_eq!(finding.preemptions, 1, "{report}");
        replays(&builder, &report, figure_1);
    }
    assert_eq!(explore(Builder::new().preemptions(0), figure_1).verdict, Verdict::Bounded);
    let report = explore(Builder::new().preemptions(1), figure_1);
    assert!(report.finding.as_ref().unwrap().minimal, "{report}");
    for search in [Builder::new().unbounded(), Builder::new().search(Search::Dfs)] {
        let ordered = explore(search, figure_1_ordered);
        assert_eq!(ordered.verdict, Verdict::Verified, "{ordered}");
    }
    assert_eq!(explore(Builder::new(), figure_1_ordered).verdict, Verdict::Bounded);
}

/// Figure 3: one task waits for another in a loop that yields.
fn figure_3() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = {
        let flag = Arc::clone(&flag);
        thread::spawn(move || flag.store(true, SeqCst))
    };
    while !flag.load(SeqCst) {
        thread::yield_now();
    }
    other.join().unwrap();
}

#[test]
fn figure_3_is_verified_in_a_handful_of_executions() {
    for builder in [Builder::new().unbounded(), Builder::new().search(Search::Dfs)] {
        let report = explore(builder.clone(), figure_3);
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        assert!(report.executions() < 20, "{report}");
        let unfair = explore(builder.fair(false).max_executions(200).max_steps(500), figure_3);
        assert_eq!(unfair.verdict, Verdict::Incomplete, "{unfair}");
    }
}

/// Figure 7: while the group has stopped and the worker does not know, it spins.
struct Worker {
    stop: AtomicBool,
    group_stop: AtomicBool,
    tasks: AtomicUsize,
}

impl Worker {
    fn run(&self) {
        while !self.stop.load(SeqCst) {
            while !self.stop.load(SeqCst) && self.tasks.load(SeqCst) > 0 {
                self.tasks.fetch_sub(1, SeqCst);
            }
            if !self.stop.load(SeqCst) {
                self.idle();
            }
        }
    }

    fn idle(&self) {
        while !self.group_stop.load(SeqCst) {
            thread::yield_now();
        }
    }
}

const OUTER_LOOP: u32 = line!() - 17;

fn figure_7() {
    let [stop, group_stop] = [false; 2].map(AtomicBool::new);
    let worker = Arc::new(Worker { stop, group_stop, tasks: AtomicUsize::new(1) });
    let task = {
        let worker = Arc::clone(&worker);
        thread::Builder::new().name("worker".to_owned()).spawn(move || worker.run()).unwrap()
    };
    worker.group_stop.store(true, SeqCst);
    worker.stop.store(true, SeqCst);
    task.join().unwrap();
}

#[test]
fn figure_7_is_a_good_samaritan_violation_of_the_outer_loop() {
    let report = explore(Builder::new(), figure_7);
    let finding = report.finding.as_ref().unwrap_or_else(|| panic!("{report}"));
    let Bug::GoodSamaritan { task, ref cycle, pumped: false } = finding.bug else { panic!("{report}") };
    assert_eq!(cycle.places(task)[0].line(), OUTER_LOOP, "{report}");
    assert!(report.to_string().contains("(worker) loops for ever without yielding"), "{report}");
    assert!(
        report.to_string().contains(&format!("The loop begins at {}:{OUTER_LOOP}:", file!())),
        "{report}"
    );
    replays(&Builder::new(), &report, figure_7);
}

/// Figure 8: the loop waits for its own copy to change.
fn figure_8() {
    let number = Arc::new(AtomicUsize::new(0));
    let other = {
        let number = Arc::clone(&number);
        thread::spawn(move || number.store(1, SeqCst))
    };
    let copy = number.load(SeqCst);
    #[allow(clippy::while_immutable_condition, reason = "that is the bug")]
    while copy != 1 {
        hint::spin_loop();
    }
    other.join().unwrap();
}

#[test]
fn figure_8_is_a_livelock() {
    let report = explore(Builder::new(), figure_8);
    assert!(matches!(report.finding.as_ref().unwrap().bug, Bug::Livelock { .. }), "{report}");
    replays(&Builder::new(), &report, figure_8);
}

/// As Figure 1, with forks that are flags: a try that fails does not yield, the end of a round does.
fn philosophers_with_flags() {
    let forks = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let philosopher = |first: usize| {
        let forks = Arc::clone(&forks);
        let take = move |fork: &AtomicBool| fork.compare_exchange(false, true, SeqCst, SeqCst).is_ok();
        thread::spawn(move || {
            loop {
                if take(&forks[first]) {
                    if take(&forks[1 - first]) {
                        forks[1 - first].store(false, SeqCst);
                        forks[first].store(false, SeqCst);
                        return;
                    }
                    forks[first].store(false, SeqCst);
                }
                thread::yield_now();
            }
        })
    };
    let tasks = [0, 1].map(philosopher);
    tasks.into_iter().for_each(|task| task.join().unwrap());
}

#[test]
fn a_livelock_that_costs_preemptions_in_every_round_is_pumped() {
    for builder in [Builder::new().preemptions(4), Builder::new().preemptions(4).workers(2)] {
        let report = explore(builder.clone(), philosophers_with_flags);
        let finding = report.finding.as_ref().unwrap_or_else(|| panic!("{report}"));
        assert!(matches!(finding.bug, Bug::Livelock { pumped: true, .. }), "{report}");
        assert!(report.to_string().contains("pumped"), "{report}");
        println!("{report}");
        replays(&builder, &report, philosophers_with_flags);
    }
}

/// A loop that ends when enough time has passed, and sees that by looking.
/// Two tasks that do the same, and change places on the way to a round that goes on for ever. By the macro all of it stands at one
/// place in the source.
macro_rules! equal_tasks {
    ($name:ident) => {
        fn $name() {
            let (two, one) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let task = |_| {
                let (one, two) = (Arc::clone(&one), Arc::clone(&two));
                thread::spawn(move || {
                    loop {
                        one.store(0, SeqCst);
                        thread::yield_now();
                        one.store(0, SeqCst);
                        one.swap(1, SeqCst);
                        one.store(0, SeqCst);
                        thread::yield_now();
                        two.swap(0, SeqCst);
                        if one.load(SeqCst) == 0 {
                            return;
                        }
                        thread::yield_now();
                    }
                })
            };
            [0, 1].map(task).into_iter().for_each(|task| task.join().unwrap());
        }
    };
}

equal_tasks!(equal_tasks);

#[test]
fn tasks_that_have_changed_places_hide_no_livelock() {
    for bounded in [Builder::new().preemptions(3), Builder::new().delays(3)] {
        let report = explore(bounded.max_steps(400), equal_tasks);
        assert!(matches!(report.finding.map(|found| found.bug), Some(Bug::Livelock { .. })));
    }
}

fn polls_the_clock() {
    let done = Arc::new(AtomicBool::new(false));
    let other = {
        let done = Arc::clone(&done);
        thread::spawn(move || done.store(true, SeqCst))
    };
    let start = Instant::now();
    while !done.load(SeqCst) && start.elapsed() < Duration::from_secs(60) {
        hint::spin_loop();
    }
    other.join().unwrap();
}

/// A task that spins, and another one that waits with a timeout before it lets the first one go on.
fn waits_beside_a_spinning_task() {
    let done = Arc::new(AtomicBool::new(false));
    let other = {
        let done = Arc::clone(&done);
        thread::spawn(move || {
            thread::park_timeout(Duration::from_secs(60));
            done.store(true, SeqCst);
        })
    };
    while !done.load(SeqCst) {
        thread::yield_now();
    }
    other.join().unwrap();
}

#[test]
fn time_passes_for_those_who_wait_for_it() {
    for f in [polls_the_clock, waits_beside_a_spinning_task] {
        for faults in [0, 1] {
            let report = explore(Builder::new().search(Search::Dfs).faults(faults), f);
            assert_eq!(report.verdict, Verdict::Verified, "{report}");
        }
    }
}

fn counts_under_a_lock(times: usize) {
    let number = Mutex::new(0);
    for _ in 0..times {
        *number.lock().unwrap() += 1;
        thread::yield_now();
    }
}

fn sends_many(times: usize) {
    let (sender, receiver) = mpsc::sync_channel(1);
    let task = thread::spawn(move || (0..times).for_each(|n| sender.send(n).unwrap()));
    (0..times).for_each(|n| assert_eq!(receiver.recv(), Ok(n)));
    task.join().unwrap();
}

#[test]
fn a_long_execution_whose_values_are_hidden_is_not_taken_for_an_endless_one() {
    for f in [|| counts_under_a_lock(500), || sends_many(500)] {
        let report = explore(Builder::new().max_steps(1_000).max_executions(20), f);
        assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
    }
}

#[test]
fn samples_find_livelocks_and_their_schedules_are_short() {
    for search in [Search::Random, Search::Pct, Search::Pos, Search::Surw] {
        for f in [figure_1, philosophers_with_flags, figure_8] {
            let builder = Builder::new().search(search).max_executions(200);
            let report = explore(builder.clone(), f);
            if search != Search::Pct || report.finding.is_some() {
                assert!(matches!(report.finding.as_ref().unwrap().bug, Bug::Livelock { .. }), "{report}");
                replays(&builder, &report, f);
            }
        }
    }
}

/// A task panics before it sets the flag that main polls for.
fn panics_before_it_sets_the_flag() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = {
        let flag = Arc::clone(&flag);
        thread::spawn(move || {
            assert!(flag.load(SeqCst), "the flag is never set");
            flag.store(true, SeqCst);
        })
    };
    while !flag.load(SeqCst) {
        thread::yield_now();
    }
    other.join().unwrap();
}

#[test]
fn a_livelock_after_a_panic_names_the_panic() {
    let report = explore(Builder::new(), panics_before_it_sets_the_flag);
    let Bug::Livelock { after: Some(panic), .. } = &report.finding.as_ref().unwrap().bug else {
        panic!("{report}")
    };
    assert_eq!(panic.message, "the flag is never set");
    assert!(report.to_string().contains("Before, task T1 panicked at"), "{report}");
    replays(&Builder::new(), &report, panics_before_it_sets_the_flag);
}

#[test]
fn settings_that_contradict_each_other_are_refused_with_a_reason() {
    let plain = || Builder::new().search(Search::Delays).scheduler("depth-first-plain");
    for (builder, words) in [
        (Builder::new().fair_k(0), "to have no fairness set `fair` to off"),
        (Builder::new().fair(false).fair_k(2), "no yield counts then"),
        (plain().fair(true), "passes over nobody"),
        (plain().fair_k(2), "passes over nobody"),
        (Builder::new().races(false).points(Points::Racy), "race"),
    ] {
        let error = builder.explore(figure_3).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(words)), "{words}: {error:?}");
    }
    // Left to itself that scheduler goes without fairness.
    let report = explore(plain().bound(1).max_steps(500).max_executions(50), figure_3);
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
}

#[test]
fn a_schedule_belongs_to_its_fairness() {
    let report = explore(Builder::new(), figure_1);
    let schedule = report.finding.unwrap().schedule();
    for other in [Builder::new().fair(false), Builder::new().fair_k(2)] {
        let error = other.replay(&schedule).explore(figure_1).unwrap_err().to_string();
        assert!(error.contains("fairness with k = 1, here"), "{error}");
    }
}

#[test]
fn verdicts_name_fairness_only_where_tasks_yield() {
    let fair = explore(Builder::new().search(Search::Dfs), figure_3).to_string();
    assert!(fair.contains("every fair schedule") && fair.contains("fairness (k = 1)"), "{fair}");
    assert!(fair.contains("yields more than once"), "{fair}");
    let unfair = explore(Builder::new().search(Search::Dfs), figure_1_ordered).to_string();
    assert!(unfair.contains("every schedule was explored") && !unfair.contains("fair"), "{unfair}");
}

/// A yield, and a data choice before the next point.
fn chooses_after_a_yield() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = {
        let flag = Arc::clone(&flag);
        thread::spawn(move || flag.store(true, SeqCst))
    };
    while !flag.load(SeqCst) {
        thread::yield_now();
        let _ = caissa::choose(2);
    }
    other.join().unwrap();
}

/// A task that is created when another has yielded, and is disabled at once.
fn spawns_after_a_yield() {
    let (number, lock) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(0)));
    thread::yield_now();
    let other = {
        let (number, lock) = (Arc::clone(&number), Arc::clone(&lock));
        thread::spawn(move || {
            *lock.lock().unwrap() += 1;
            number.fetch_add(1, SeqCst);
        })
    };
    *lock.lock().unwrap() += 1;
    thread::yield_now();
    (0..3).for_each(|_| _ = number.fetch_add(1, SeqCst));
    other.join().unwrap();
}

#[test]
fn no_point_that_fairness_has_to_look_at_is_passed() {
    for f in [chooses_after_a_yield, spawns_after_a_yield] {
        let new = || Builder::new().max_steps(2_000);
        for builder in [new().preemptions(1), new().preemptions(2), new().delays(2)] {
            let report = explore(builder, f);
            assert_eq!(report.verdict, Verdict::Bounded, "{report}");
            assert_eq!(report.summary.step_limited(), 0, "{report}");
        }
        assert_eq!(explore(new().search(Search::Dfs), f).verdict, Verdict::Verified);
    }
}

/// A task that sleeps again and again, and another one whose timeout is far away.
fn sleeps_beside_a_long_timeout() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = {
        let flag = Arc::clone(&flag);
        thread::spawn(move || {
            thread::park_timeout(Duration::from_secs(300));
            flag.store(true, SeqCst);
        })
    };
    while !flag.load(SeqCst) {
        thread::sleep(Duration::from_millis(1));
    }
    other.join().unwrap();
}

#[test]
fn a_timeout_that_draws_nearer_is_no_livelock() {
    let report = explore(Builder::new().preemptions(0).faults(0), sleeps_beside_a_long_timeout);
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
}

/// What waits with a timeout is given what it waits for by a task that yields a few times before.
#[test]
fn a_few_yields_let_no_timeout_fire() {
    fn gives_after_some_yields() {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || {
            (0..8).for_each(|_| thread::yield_now());
            sender.send(()).unwrap();
        });
        receiver.recv_timeout(Duration::from_secs(1)).unwrap();
        other.join().unwrap();
    }
    let report = explore(Builder::new().search(Search::Dfs).faults(0), gives_after_some_yields);
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

/// Endless only if the task sees 1; else it counts to an end beyond `max_steps`.
fn endless_or_long() {
    let limit = Arc::new(AtomicUsize::new(0));
    let task = {
        let limit = Arc::clone(&limit);
        thread::spawn(move || {
            let times = if limit.load(SeqCst) == 0 { 1_000 } else { usize::MAX };
            let flag = AtomicBool::new(false);
            for _ in 0..times {
                if flag.load(SeqCst) {
                    break;
                }
                thread::yield_now();
            }
        })
    };
    limit.store(1, SeqCst);
    limit.store(0, SeqCst);
    task.join().unwrap();
}

#[test]
fn minimising_does_not_take_a_long_execution_for_an_endless_one() {
    for search in [Search::Preemptions, Search::Surw] {
        let builder = Builder::new().max_steps(400).search(search).max_executions(100);
        let report = explore(builder.clone(), endless_or_long);
        let finding = report.finding.as_ref().unwrap_or_else(|| panic!("{report}"));
        assert!(matches!(finding.bug, Bug::Livelock { .. }), "{report}");
        assert_eq!(finding.preemptions, 1, "{report}");
        replays(&builder, &report, endless_or_long);
    }
}

/// An async loop that sleeps until a flag is set, which nobody does.
fn sleeps_for_a_flag() {
    let flag = AtomicBool::new(false);
    caissa::future::block_on(async {
        while !flag.load(SeqCst) {
            caissa::future::time::sleep(Duration::from_millis(10)).await;
        }
    });
}

#[test]
fn async_loops_that_sleep_for_ever_are_livelocks() {
    for faults in [0, 1] {
        let builder = Builder::new().faults(faults);
        let report = explore(builder.clone(), sleeps_for_a_flag);
        assert!(matches!(report.finding.as_ref().unwrap().bug, Bug::Livelock { .. }), "{report}");
        replays(&builder, &report, sleeps_for_a_flag);
    }
}
