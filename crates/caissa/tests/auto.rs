//! `auto`, the default search: a mix that leads with preemption bounds.

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Finder, Report, Search, Stopped, Summary, Verdict, thread};

/// Tasks that each add so many times.
fn additions(tasks: usize, times: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let shared = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..tasks)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || (0..times).for_each(|_| drop(shared.fetch_add(1, SeqCst).to_string())))
            })
            .collect();
        let count = tasks.len();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(shared.load(SeqCst), count * times);
    }
}

/// Two tasks that have to come in turn, `turns` times, to fail: so many preemptions are needed, less one or two.
fn in_turn(turns: usize, padding: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let stage = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|me| {
                let stage = Arc::clone(&stage);
                thread::spawn(move || {
                    let own = AtomicUsize::new(0);
                    (0..padding).for_each(|_| own.store(1, SeqCst));
                    for number in (0..turns).filter(|number| number % 2 == me) {
                        let _ = stage.compare_exchange(number, number + 1, SeqCst, SeqCst);
                    }
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_ne!(stage.load(SeqCst), turns);
    }
}

fn explore(builder: &Builder, program: impl Fn() + Send + Sync + 'static) -> Report {
    builder.clone().explore(program).unwrap()
}

/// Executions of the leading part, of each other bounded part, and of each policy.
fn divided(summary: &Summary) -> (u64, Vec<u64>, Vec<u64>) {
    let lead = summary.bounds.iter().map(|bound| bound.executions).sum();
    let sides = summary.sides.iter().map(|side| side.bounds.iter().map(|bound| bound.executions).sum());
    let samples = summary.samples.iter().map(|sampled| sampled.executions);
    (lead, sides.collect(), samples.collect())
}

#[test]
fn it_is_the_default() {
    let (auto, default) = (Builder::new().search(Search::Auto), Builder::new());
    let summaries = [auto, default].map(|builder| explore(&builder, additions(3, 4)).summary);
    assert_eq!(summaries[0], summaries[1]);
    assert!(!summaries[0].samples.is_empty());
}

#[test]
fn small_programs_are_searched_as_by_preemption_bounds() {
    for (tasks, times) in [(1, 3), (2, 2), (2, 5), (3, 1)] {
        let auto = explore(&Builder::new(), additions(tasks, times));
        let preemptions = explore(&Builder::new().preemptions(2), additions(tasks, times));
        assert!(auto.executions() < 1_000, "{auto}");
        assert_eq!((auto.verdict, &auto.summary), (preemptions.verdict, &preemptions.summary));
    }
    let [auto, preemptions] = [Builder::new(), Builder::new().preemptions(2)].map(|builder| {
        explore(&builder, in_turn(3, 2)).finding.expect("one preemption is enough").schedule()
    });
    assert_eq!(auto, preemptions);
}

#[test]
fn others_have_their_share_once_a_program_is_not_small() {
    let report = explore(&Builder::new(), additions(4, 4));
    assert_eq!((report.verdict, report.bound()), (Verdict::Bounded, Some(2)), "{report}");
    let alone = explore(&Builder::new().preemptions(2), additions(4, 4));
    let (lead, sides, samples) = divided(&report.summary);
    assert_eq!(lead, alone.executions());
    assert!(lead > 20_000, "{lead}");
    // Delays by each scheduler may be done earlier; the other shares are a quarter and a sixteenth each, save for what a job does
    // too much.
    let share = |part: u64, of: u64| (part as f64 / (lead as f64 / of as f64) - 1.0).abs() < 0.1;
    assert_eq!((sides.len(), samples.len()), (3, 4));
    assert!(share(sides[2], 4), "{report}");
    assert!(samples.iter().all(|&part| share(part, 16)), "{report}");
    let delays = explore(&Builder::new().delays(2), additions(4, 4));
    assert_eq!(sides[0], delays.executions());
    let words =
        ["also 2 delays (rr)", "also every schedule, depth first", "sampled by pct", "sampled by random"];
    let text = report.to_string();
    assert!(words.iter().all(|words| text.contains(words)), "{text}");
}

#[test]
fn all_have_their_share_within_a_small_budget() {
    for budget in [16, 100, 2_000, 3_000] {
        let report = explore(&Builder::new().max_executions(budget), additions(4, 6));
        let (lead, sides, samples) = divided(&report.summary);
        assert_eq!((report.executions(), sides.len(), samples.len()), (budget, 3, 4), "{report}");
        assert!(lead >= budget / 4 && lead <= budget * 3 / 4, "{report}");
        assert!(samples.iter().all(|&part| part >= budget / 64), "{report}");
    }
}

#[test]
fn a_bug_beyond_the_bound_is_found_by_another_part_and_not_called_minimal() {
    // Five preemptions are needed, or as many delays; the bound of both is 2.
    let program = || in_turn(7, 30);
    let alone = explore(&Builder::new().preemptions(2), program());
    assert_eq!(alone.verdict, Verdict::Bounded, "{alone}");
    let report = explore(&Builder::new(), program());
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    assert!(matches!(report.summary.failure, Some((Finder::Sampled(_), _))), "{report}");
    let finding = report.finding.as_ref().expect("a bug has a finding");
    assert_eq!((finding.preemptions, finding.minimal), (5, false), "{report}");
    assert!(report.to_string().contains("5 preemptions at most"), "{report}");
    assert!(report.to_string().contains("The bug was found by samples of "), "{report}");
    let again = Builder::new().replay(&finding.schedule()).explore(program()).unwrap();
    assert_eq!(again.verdict, Verdict::Bug);
}

#[test]
fn a_seed_fixes_the_run_whatever_the_number_of_workers() {
    for passes in [true, false] {
        let run = |seed, workers| {
            let builder = Builder::new().seed(seed).workers(workers);
            if passes { explore(&builder, additions(3, 5)) } else { explore(&builder, in_turn(7, 30)) }
        };
        for seed in [0, 7] {
            let (one, again, two, three) = (run(seed, 1), run(seed, 1), run(seed, 2), run(seed, 3));
            assert_eq!(one.summary, again.summary);
            // What lies on the frontier when a bug ends the search depends on how far ahead the workers were.
            let figures = |report: &Report| Summary { frontier: (0, 0), ..report.summary.clone() };
            assert_eq!(figures(&one), figures(&two), "{one}\n{two}");
            assert_eq!(figures(&one), figures(&three));
            let schedule = |report: &Report| report.finding.as_ref().map(|finding| finding.schedule());
            assert_eq!(schedule(&one), schedule(&two));
        }
    }
}

#[test]
fn everything_is_verified_where_it_can_be() {
    let report = explore(&Builder::new().unbounded(), additions(2, 7));
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    let alone = explore(&Builder::new().search(Search::Dfs), additions(2, 7));
    assert_eq!(report.summary.classes(), alone.summary.classes());
}

#[test]
fn the_budget_is_that_of_all_parts_together() {
    for (budget, workers) in [(1, 1), (999, 1), (1_500, 1), (30_000, 1), (30_000, 2)] {
        let builder = Builder::new().max_executions(budget).workers(workers);
        let report = explore(&builder, additions(4, 6));
        assert_eq!((report.verdict, report.executions()), (Verdict::Incomplete, budget));
        assert_eq!(report.summary.stopped, Some(Stopped::Executions));
    }
}
