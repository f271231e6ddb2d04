//! What executions make of the fair scheduler: the schedules that a job explores are the paths of Algorithm 1, within the
//! bound, each once. A switch that fairness forces costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use caissa_core::{Cost, Ending, GuideSpec, Job, Limit, Scope};

use super::front_end::{FrontEnd, job};
use super::on_programs;
use super::paths::{ByCost, Paths};
use super::program::Program;
use super::space::Space;
use super::stateless::explore;

/// As many schedules as are explored of one program, at most.
const MAX_PATHS: u64 = 400;

/// Without a bound; programs that need not end are followed to a limit of steps.
#[test]
fn an_unbounded_job_explores_the_paths_of_the_algorithm() {
    let (mut ended, mut endless) = (0, 0);
    on_programs(400, |_, program| {
        for k in 1..=3 {
            let Some(Space { graph, .. }) = Space::fair(program, k) else { continue };
            let limit = graph.limit(MAX_PATHS, 40);
            let explored = explore(program, k, limit);
            let below = job(Scope::Below, GuideSpec::NonPreemptive, Cost::Free, limit);
            let (runs, dearer) = FrontEnd::new(program, k).run(&below);
            assert!(dearer.is_empty(), "nothing costs anything");
            let limited = runs.iter().filter(|run| run.ending == Ending::StepLimit).count();
            assert_eq!(limited, explored.endless, "k = {k}");
            let schedules = runs.into_iter().map(|run| run.tasks).collect();
            assert_eq!(sorted(schedules), sorted(explored.paths), "k = {k}");
            *if limited == 0 { &mut ended } else { &mut endless } += 1;
        }
    });
    assert!(ended > 300 && endless > 300, "{ended} ended, {endless} did not");
}

fn sorted(mut paths: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    paths.sort();
    paths
}

/// The programs that end under the scheduler with this k, and have few paths: each with a limit that no path meets.
pub fn on_ending_programs(seeds: u64, mut check: impl FnMut(&Program, u32, usize)) {
    on_programs(seeds, |seed, program| {
        let k = 1 + seed as u32 % 3;
        let Some(Space { graph, .. }) = Space::fair(program, k) else { return };
        let steps = graph.nodes.len();
        if !graph.is_cyclic() && graph.paths(steps).0 <= MAX_PATHS {
            check(program, k, steps + 1);
        }
    });
}

/// Every execution of a search that begins with this job, by what it costs: bound after bound, each with what those before
/// have left.
pub fn search(program: &Program, k: u32, first: Job) -> ByCost {
    let mut front_end = FrontEnd::new(program, k);
    let mut jobs = BTreeMap::from([(0, vec![first])]);
    let mut found = ByCost::new();
    while let Some((bound, now)) = jobs.pop_first() {
        let mut schedules = Vec::new();
        for job in &now {
            let (runs, dearer) = front_end.run(job);
            for run in runs.into_iter().filter(|run| run.ending != Ending::Cut) {
                assert!(matches!(run.ending, Ending::Complete | Ending::Deadlock), "{:?}", run.ending);
                assert_eq!(run.spent, bound, "{:?}, k = {k}", run.tasks);
                schedules.push(run.tasks);
            }
            for (more, job) in dearer {
                jobs.entry(bound + more).or_default().push(job);
            }
        }
        if !schedules.is_empty() {
            found.insert(bound, sorted(schedules));
        }
    }
    found
}

/// Exactly the paths of each cost.
fn bound_by_bound(cost: Cost, guide: GuideSpec) {
    let (mut programs, mut forced) = (0, 0);
    on_ending_programs(2_000, |program, k, steps| {
        let paths = Paths::all(program, k, cost);
        programs += 1;
        forced += (paths.forced > 0) as u32;
        let first = job(Scope::Below, guide.clone(), cost, steps);
        assert_eq!(search(program, k, first), paths.by_cost(), "k = {k}");
    });
    assert!(programs > 600 && forced > 60, "{programs} programs, {forced} with forced switches");
}

#[test]
fn forced_switches_are_no_preemptions() {
    bound_by_bound(Cost::Preemptions, GuideSpec::NonPreemptive);
}

#[test]
fn forced_switches_are_no_context_switches() {
    bound_by_bound(Cost::Contexts, GuideSpec::NonPreemptive);
}

#[test]
fn round_robin_passes_over_tasks_that_fairness_keeps_back() {
    bound_by_bound(Cost::Delays, GuideSpec::Delaying("round-robin".into()));
}

/// By delays of another scheduler too everything comes up, once.
#[test]
fn depth_first_with_delays_explores_the_paths_of_the_algorithm() {
    on_ending_programs(1_000, |program, k, steps| {
        let guide = GuideSpec::Delaying("depth-first".into());
        let found = search(program, k, job(Scope::Below, guide, Cost::Delays, steps));
        let all = Paths::all(program, k, Cost::Free).by_cost().remove(&0).expect("there is a path");
        assert_eq!(sorted(found.into_values().flatten().collect()), all, "k = {k}");
    });
}

/// Samples stay among the paths of the algorithm, and a random walk meets them all where they are few.
#[test]
fn samples_are_paths_of_the_algorithm() {
    let mut met_all = 0;
    on_ending_programs(500, |program, k, steps| {
        let all = Paths::all(program, k, Cost::Free).by_cost().remove(&0).expect("there is a path");
        let all: BTreeSet<_> = all.into_iter().collect();
        let pct = GuideSpec::Pct { seed: 7, depth: 3, steps: 10 };
        for guide in [GuideSpec::Random(7), pct, GuideSpec::Pos(7)] {
            let limit = Limit { executions: 100, steps: steps as u32 };
            let samples = Job { limit, ..job(Scope::Samples(0), guide.clone(), Cost::Free, steps) };
            let (runs, _) = FrontEnd::new(program, k).run(&samples);
            assert_eq!(runs.len(), 100);
            let met: BTreeSet<_> = runs.into_iter().map(|run| run.tasks).collect();
            assert!(met.is_subset(&all), "{guide:?}, k = {k}");
            if all.len() < 5 && guide == GuideSpec::Random(7) {
                met_all += (all.len() > 1) as u32;
                assert_eq!(met, all, "k = {k}");
            }
        }
    });
    assert!(met_all > 10, "{met_all}");
}
