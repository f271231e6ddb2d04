//! The oracle checked on its own: against closed forms, against sequences worked out by hand, and
//! against slower definitions of the same notions.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::classes::{Class, dependent};
use crate::oracle::cost::{Cost, cost_of};
use crate::oracle::delays::{Tally, delays_of, explore_delays};
use crate::oracle::explore::{LimitExceeded, explore_all, replay};
use crate::oracle::interpret::{Machine, Observation, Outcome};
use crate::oracle::program::Instr::*;
use crate::oracle::program::{Instr, Program, Task};
use crate::oracle::random::{Options, Rng, random_program};
use crate::oracle::schedulers::{DepthFirst, RoundRobin, Scheduler, SkippingDepthFirst};
use crate::oracle::summary::{Measure, schedules_within, summarize};

const UNBOUNDED: usize = usize::MAX;
const UNLIMITED: u64 = u64::MAX;

/// Random programs of every mix of kinds, none with more than `most` executions.
fn small_programs(number: u64, most: u64) -> impl Iterator<Item = Program> {
    (0..number)
        .map(|seed| random_program(seed, &Options::from_mask(seed)))
        .filter(move |program| explore_all(program, most, |_| {}).is_ok())
}

fn count(program: &Program) -> u64 {
    explore_all(program, UNLIMITED, |_| {}).unwrap()
}

fn outcomes(program: &Program) -> BTreeSet<Outcome> {
    let mut outcomes = BTreeSet::new();
    explore_all(program, UNLIMITED, |execution| {
        outcomes.insert(execution.outcome.clone());
    })
    .unwrap();
    outcomes
}

fn class_count(program: &Program) -> usize {
    let summary = summarize(program, Measure::Preemptions, UNBOUNDED, UNLIMITED).unwrap();
    summary.classes.len()
}

fn factorial(n: usize) -> u128 {
    (1..=n as u128).product()
}

#[test]
fn two_independent_tasks_have_binomially_many_interleavings() {
    for (main, child) in [(0, 0), (1, 0), (2, 3), (4, 4)] {
        let mut list = vec![Yield; main];
        list.insert(0, Spawn(1));
        let program = Program::new(vec![list, vec![Yield; child]]);
        // Both ends are steps too.
        let expected = factorial(main + child + 2) / (factorial(main + 1) * factorial(child + 1));
        assert_eq!(u128::from(count(&program)), expected);
        assert_eq!(class_count(&program), 1);
    }
}

#[test]
fn adders_have_as_many_interleavings_as_their_forest_has_linear_extensions() {
    for (tasks, adds) in [(1, 0), (1, 3), (2, 1), (2, 3), (3, 1), (4, 0)] {
        // Steps are ordered as a tree: each has one immediate predecessor. Then there are n! divided by
        // the product of the sizes of all subtrees.
        let steps = tasks + 1 + tasks * (adds + 1);
        let subtrees: u128 =
            (1..=tasks).map(|later| factorial(adds + 1) * (1 + later as u128 * (adds as u128 + 2))).product();
        let program = Program::adders(tasks, adds);
        assert_eq!(u128::from(count(&program)), factorial(steps) / subtrees);
    }
}

#[test]
fn adders_have_one_class_and_one_outcome_per_order_of_the_adds() {
    for (tasks, adds) in [(1, 2), (2, 1), (2, 2), (2, 3), (3, 1)] {
        let orders = factorial(tasks * adds) / factorial(adds).pow(tasks as u32);
        for program in [Program::adders(tasks, adds), Program::joined_adders(tasks, adds)] {
            assert_eq!(class_count(&program) as u128, orders);
            assert_eq!(outcomes(&program).len() as u128, orders);
        }
    }
}

#[test]
fn tasks_that_only_read_have_one_class() {
    let loads = Program::new(vec![vec![Spawn(1), Load(0), Load(0)], vec![Load(0); 3]]);
    assert_eq!(class_count(&loads), 1);
    let failing = Program::new(vec![vec![Spawn(1), Cas(0, 1, 2)], vec![Cas(0, 1, 2)]]);
    assert_eq!(class_count(&failing), 1);
    let reader = [Read(0), ReadUnlock(0)];
    let program = Program::new(vec![[&[Spawn(1)], &reader[..]].concat(), reader.to_vec()]);
    assert_eq!(class_count(&program), 1);
    let writer = Program::new(vec![vec![Spawn(1), Write(0), WriteUnlock(0)], reader.to_vec()]);
    assert_eq!(class_count(&writer), 2);
}

#[test]
fn failed_tries_commute_and_unparks_do_not() {
    // Main holds the mutex until both children have tried it.
    let tries = vec![TryLock(0), Unlock(0)];
    let main = vec![Lock(0), Spawn(1), Spawn(2), Join(1), Join(2), Unlock(0)];
    let program = Program::new(vec![main, tries.clone(), tries]);
    assert_eq!(class_count(&program), 1);
    let main = vec![Spawn(1), Spawn(2)];
    let program = Program::new(vec![main, vec![Unpark(0)], vec![Unpark(0)]]);
    assert_eq!(class_count(&program), 2);
}

#[test]
fn costs_of_schedules_worked_out_by_hand() {
    let cost = |preemptions, contexts| Some(Cost { preemptions, contexts });
    let program = Program::new(vec![vec![Spawn(1), Add(0, 1), Join(1)], vec![Add(0, 1)]]);
    // Main is left at its join, where it is blocked.
    assert_eq!(cost_of(&program, &[0, 0, 1, 1, 0, 0]), cost(0, 2));
    // Main is left at its add; the child is left when it has finished.
    assert_eq!(cost_of(&program, &[0, 1, 1, 0, 0, 0]), cost(1, 2));
    // Each is left at a point where it could go on, then main at its join.
    assert_eq!(cost_of(&program, &[0, 1, 0, 1, 0, 0]), cost(2, 4));
    assert_eq!(cost_of(&program, &[1]), None);
    assert_eq!(cost_of(&program, &[0, 0, 0]), None);

    let yielding = Program::new(vec![vec![Spawn(1), Yield], vec![]]);
    assert_eq!(cost_of(&yielding, &[0, 0, 1, 0]), cost(1, 2));

    let locking = Program::new(vec![vec![Spawn(1), Lock(0), Unlock(0)], vec![Lock(0), Unlock(0)]]);
    assert_eq!(cost_of(&locking, &[0, 0, 1]), None);
    // The child waits for main's release and costs nothing when main has ended.
    assert_eq!(cost_of(&locking, &[0, 0, 0, 0, 1, 1, 1]), cost(0, 1));
    assert_eq!(cost_of(&locking, &[0, 0, 0, 1, 1, 0, 1]), cost(2, 3));
}

#[test]
fn delays_of_round_robin_worked_out_by_hand() {
    let program = Program::adders(2, 1);
    let delays = |schedule: [Task; 7]| delays_of(&program, RoundRobin::default(), &schedule);
    assert_eq!(delays([0, 0, 0, 1, 1, 2, 2]), Some(0));
    assert_eq!(delays([0, 1, 1, 0, 0, 2, 2]), Some(1));
    // The one that ends stood last: the position wraps around to main.
    assert_eq!(delays([0, 0, 2, 2, 0, 1, 1]), Some(2));
    assert_eq!(delays([0, 0, 2, 2, 1, 1, 0]), Some(3));
    // From main to 1 and from 1 to 2 it is one delay each, from 2 past main to 1 two. Then the ends pass
    // on for free.
    assert_eq!(delays([0, 0, 1, 2, 1, 2, 0]), Some(4));
    assert_eq!(delays([0, 1, 2, 1, 2, 0, 0]), None);
}

#[test]
fn delays_of_depth_first_worked_out_by_hand() {
    let program = Program::adders(2, 1);
    let plain = |schedule: [Task; 7]| delays_of(&program, DepthFirst::default(), &schedule);
    let skipping = |schedule: [Task; 7]| delays_of(&program, SkippingDepthFirst::default(), &schedule);
    for (schedule, expected) in [
        // A child runs before its parent goes on.
        ([0, 1, 1, 0, 2, 2, 0], 0),
        // The delayed child waits for the next round.
        ([0, 0, 2, 2, 0, 1, 1], 1),
        // In the next round what was delayed first comes first.
        ([0, 0, 0, 1, 1, 2, 2], 2),
        ([0, 0, 0, 2, 2, 1, 1], 3),
    ] {
        assert_eq!(plain(schedule), Some(expected));
        assert_eq!(skipping(schedule), Some(expected));
    }
}

#[test]
fn plain_depth_first_discards_what_takes_a_blocked_task() {
    let program = Program::joined_adders(1, 1);
    let tally = |executions, discarded| Ok(Tally { executions, discarded });
    let plain = |bound| explore_delays(&program, DepthFirst::default(), bound, 9, |_| {});
    assert_eq!(plain(0), tally(1, 0));
    // Delaying the child at either of its steps brings up main, which waits for it.
    assert_eq!(plain(1), tally(1, 2));
    assert_eq!(plain(UNBOUNDED), tally(1, 2));
    let skipping = SkippingDepthFirst::default();
    assert_eq!(explore_delays(&program, skipping, UNBOUNDED, 9, |_| {}), tally(1, 0));
}

#[test]
fn skipped_tasks_keep_their_places() {
    let mut scheduler = SkippingDepthFirst::default();
    for task in [3, 2, 1, 0] {
        scheduler.give_new(task);
        // Each take empties the handler stack, so that the round stack is 3, 2, 1, 0 from the bottom.
        assert_eq!(scheduler.take(|_| true), None);
    }
    assert_eq!(scheduler.take(|task| task == 0 || task == 1), Some(2));
    scheduler.delay(2);
    assert_eq!(scheduler.take(|task| task != 2), Some(2));
    // Task 2 came back on top of the round stack, above those that were skipped.
    scheduler.give_yielding(2);
    assert_eq!(scheduler.take(|task| task == 2), Some(0));
    assert_eq!(scheduler.take(|_| false), Some(2));
    assert_eq!(scheduler.take(|_| false), Some(1));
    assert_eq!(scheduler.take(|_| false), Some(3));
    assert_eq!(scheduler.take(|_| false), None);
}

/// Gives, takes and delays at random. Whatever was done, delaying again and again brings up exactly the
/// pending tasks that may come up, each once in a cycle: nothing is lost, everything is accessible.
fn check_lossless_and_delay_accessible<S: Scheduler + Default>(skips: bool) {
    for seed in 0..2_000 {
        let mut rng = Rng::new(seed);
        let mut scheduler = S::default();
        let mut pending = BTreeSet::new();
        for new in 0..6 {
            scheduler.give_new(new);
            pending.insert(new);
            let blocked: Vec<bool> = (0..6).map(|_| rng.chance(1, 3)).collect();
            let hidden = |task: Task| skips && blocked[task];
            for _ in 0..rng.below(4) {
                let mut twin = scheduler.clone();
                let taken = scheduler.take(hidden);
                assert_eq!(taken, twin.take(hidden), "not deterministic");
                let Some(task) = taken else { break };
                assert!(!hidden(task) && pending.contains(&task));
                match rng.below(4) {
                    0 => assert!(pending.remove(&task)),
                    1 => scheduler.give_yielding(task),
                    _ => scheduler.delay(task),
                }
            }
            let mut cycle = scheduler.clone();
            let mut came_up = BTreeSet::new();
            while let Some(task) = cycle.take(hidden) {
                if !came_up.insert(task) {
                    break;
                }
                cycle.delay(task);
            }
            let expected = pending.iter().copied().filter(|task| !hidden(*task));
            assert_eq!(came_up, expected.collect());
        }
    }
}

#[test]
fn schedulers_are_lossless_and_delay_accessible() {
    check_lossless_and_delay_accessible::<RoundRobin>(true);
    check_lossless_and_delay_accessible::<DepthFirst>(false);
    check_lossless_and_delay_accessible::<SkippingDepthFirst>(true);
}

#[test]
fn with_enough_delays_a_scheduler_reaches_every_execution() {
    for program in small_programs(1_024, 200) {
        let mut all = BTreeSet::new();
        let mut without_deadlock = BTreeSet::new();
        explore_all(&program, UNLIMITED, |execution| {
            all.insert(execution.schedule());
            if execution.outcome.stuck.is_empty() {
                without_deadlock.insert(execution.schedule());
            }
        })
        .unwrap();
        let reached = |measure| -> BTreeSet<Vec<Task>> {
            let schedules = schedules_within(&program, measure, UNBOUNDED, UNLIMITED);
            schedules.unwrap().into_keys().collect()
        };
        assert_eq!(reached(Measure::RoundRobin), all, "{program}");
        assert_eq!(reached(Measure::SkippingDepthFirst), all, "{program}");
        assert_eq!(reached(Measure::DepthFirst), without_deadlock, "{program}");
    }
}

#[test]
fn a_bound_selects_the_executions_of_no_greater_cost() {
    for program in small_programs(512, 200) {
        for measure in Measure::ALL {
            let all = schedules_within(&program, measure, UNBOUNDED, UNLIMITED).unwrap();
            for bound in 0..4 {
                let within = schedules_within(&program, measure, bound, UNLIMITED).unwrap();
                let mut expected = all.clone();
                expected.retain(|_, cost| *cost <= bound);
                assert_eq!(within, expected, "{measure:?} {bound}\n{program}");
                let summary = summarize(&program, measure, UNBOUNDED, UNLIMITED).unwrap();
                assert_eq!(summary.executions_within(bound), expected.len() as u64);
            }
        }
    }
}

/// The cost by definition: each prefix is run anew.
fn naive_cost(program: &Program, schedule: &[Task]) -> Cost {
    let mut cost = Cost::default();
    for at in 1..schedule.len() {
        let mut machine = Machine::new(program);
        for &task in &schedule[..at] {
            machine.step(task);
        }
        let (last, next) = (schedule[at - 1], schedule[at]);
        cost.preemptions += usize::from(next != last && machine.enabled(last));
        cost.contexts += usize::from(next != last);
    }
    cost
}

#[test]
fn costs_agree_with_their_definitions() {
    for program in small_programs(512, 100) {
        explore_all(&program, UNLIMITED, |execution| {
            let schedule = execution.schedule();
            assert_eq!(execution.cost, naive_cost(&program, &schedule));
            assert_eq!(Some(execution.cost), cost_of(&program, &schedule));
            let again = replay(&program, &schedule, |again| {
                let same = (again.outcome, again.cost) == (execution.outcome, execution.cost);
                same && again.steps == execution.steps && again.class() == execution.class()
            });
            assert_eq!(again, Some(true));
            // A main task that parks first is stuck without a step.
            if let Some((_, cut_short)) = schedule.split_last() {
                assert_eq!(replay(&program, cut_short, |_| {}), None);
            }
        })
        .unwrap();
        let rr = RoundRobin::default;
        explore_delays(&program, rr(), UNBOUNDED, UNLIMITED, |execution| {
            let schedule = execution.schedule();
            assert_eq!(execution.cost, naive_cost(&program, &schedule));
            assert_eq!(execution.delays, delays_of(&program, rr(), &schedule));
            // Round-robin stays with a task as long as it can: leaving it takes a delay.
            assert!(execution.cost.preemptions <= execution.delays.unwrap());
        })
        .unwrap();
        let dfs = SkippingDepthFirst::default;
        explore_delays(&program, dfs(), UNBOUNDED, UNLIMITED, |execution| {
            let schedule = execution.schedule();
            assert_eq!(execution.delays, delays_of(&program, dfs(), &schedule));
        })
        .unwrap();
    }
}

/// Classes by definition: what swaps of neighbouring independent steps connect.
#[test]
fn classes_are_what_swaps_of_independent_neighbours_connect() {
    for program in small_programs(1_024, 300) {
        let mut executions = BTreeMap::new();
        explore_all(&program, UNLIMITED, |execution| {
            let entry = (execution.steps.to_vec(), execution.class());
            executions.insert(execution.schedule(), (entry, execution.outcome.clone()));
        })
        .unwrap();
        let mut unvisited: BTreeSet<&Vec<Task>> = executions.keys().collect();
        let mut classes: BTreeSet<&Class> = BTreeSet::new();
        while let Some(first) = unvisited.pop_first() {
            let ((_, class), outcome) = &executions[first];
            assert!(classes.insert(class), "not connected\n{program}");
            let mut queue = vec![first.clone()];
            while let Some(mut schedule) = queue.pop() {
                let ((steps, same_class), same_outcome) = &executions[&schedule];
                assert_eq!(class, same_class, "{program}");
                assert_eq!(outcome, same_outcome, "{program}");
                for at in 1..steps.len() {
                    if !dependent(&steps[at - 1], &steps[at]) {
                        schedule.swap(at - 1, at);
                        if unvisited.remove(&schedule) {
                            queue.push(schedule.clone());
                        }
                        assert!(executions.contains_key(&schedule), "{program}");
                        schedule.swap(at - 1, at);
                    }
                }
            }
        }
    }
}

#[test]
fn taking_steps_back_restores_the_state() {
    for seed in 0..2_000 {
        let program = random_program(seed, &Options::from_mask(seed));
        let mut rng = Rng::new(seed);
        let mut machine = Machine::new(&program);
        let mut states = vec![machine.clone()];
        while !machine.complete() {
            let task = rng.below(program.tasks.len());
            if machine.enabled(task) {
                machine.step(task);
                states.push(machine.clone());
            }
        }
        while let Some(state) = states.pop() {
            assert_eq!(machine, state, "{program}");
            if !states.is_empty() {
                machine.undo();
            }
        }
    }
}

#[test]
fn one_task_observes_what_a_sequential_program_would() {
    let list = vec![Load(0), Add(0, 2), Load(0), Cas(0, 1, 9), Cas(0, 2, 7)];
    let list = [list, vec![Load(0), Store(1, 5), Add(1, u64::MAX), TryLock(0)]].concat();
    let program = Program::new(vec![[list, vec![Unlock(0)]].concat()]);
    let log = vec![
        Observation::Loaded(0),
        Observation::Added(0),
        Observation::Loaded(2),
        Observation::Compared { ok: false, old: 2 },
        Observation::Compared { ok: true, old: 2 },
        Observation::Loaded(7),
        Observation::Added(5),
        Observation::Tried(true),
    ];
    let outcome = Outcome { logs: vec![log], atomics: vec![7, 4], stuck: vec![] };
    assert_eq!(outcomes(&program), BTreeSet::from([outcome]));
}

#[test]
fn opposite_lock_orders_deadlock() {
    let program = Program::new(vec![
        vec![Spawn(1), Lock(0), Lock(1), Unlock(1), Unlock(0)],
        vec![Lock(1), Lock(0), Unlock(0), Unlock(1)],
    ]);
    let stuck: BTreeSet<_> = outcomes(&program).into_iter().map(|o| o.stuck).collect();
    assert_eq!(stuck, BTreeSet::from([vec![], vec![0, 1]]));
    let summary = summarize(&program, Measure::Preemptions, 0, UNLIMITED).unwrap();
    assert!(summary.outcomes.keys().all(|o| o.stuck.is_empty()));
}

#[test]
fn a_failed_try_lock_passes_over_its_unlock() {
    let program =
        Program::new(vec![vec![Spawn(1), Lock(0), Unlock(0)], vec![TryLock(0), Add(0, 1), Unlock(0)]]);
    for ok in [true, false] {
        let mut lengths = BTreeSet::new();
        explore_all(&program, UNLIMITED, |execution| {
            assert!(execution.outcome.stuck.is_empty());
            assert_eq!(execution.outcome.atomics, [1]);
            if execution.outcome.logs[1][0] == Observation::Tried(ok) {
                lengths.insert(execution.steps.len());
            }
        })
        .unwrap();
        assert_eq!(lengths, BTreeSet::from([if ok { 8 } else { 7 }]));
    }
}

#[test]
fn a_token_is_kept_but_not_counted() {
    let stuck = |main: &[Instr], child: &[Instr]| -> BTreeSet<Vec<Task>> {
        let program = Program::new(vec![main.to_vec(), child.to_vec()]);
        outcomes(&program).into_iter().map(|o| o.stuck).collect()
    };
    let never = BTreeSet::from([vec![]]);
    assert_eq!(stuck(&[Spawn(1), Park], &[Unpark(0)]), never);
    assert_eq!(stuck(&[Spawn(1), Join(1), Park], &[Unpark(0)]), never);
    // The second token may come before the first is used.
    let both = BTreeSet::from([vec![], vec![0]]);
    assert_eq!(stuck(&[Spawn(1), Park, Park], &[Unpark(0), Unpark(0)]), both);
    assert_eq!(stuck(&[Spawn(1), Join(1), Unpark(1)], &[]), never);
}

#[test]
fn too_many_executions_are_refused() {
    let program = Program::adders(2, 2);
    let number = count(&program);
    assert_eq!(explore_all(&program, number, |_| {}), Ok(number));
    assert_eq!(explore_all(&program, number - 1, |_| {}), Err(LimitExceeded));
    for measure in Measure::ALL {
        assert!(summarize(&program, measure, UNBOUNDED, number).is_ok());
        let refused = summarize(&program, measure, UNBOUNDED, number - 1);
        assert_eq!(refused, Err(LimitExceeded));
    }
}

#[test]
fn generated_programs_are_well_formed_and_contain_only_what_is_on() {
    let mut seen = [0; 8];
    for seed in 0..20_000 {
        let program = random_program(seed, &Options::from_mask(seed));
        assert_eq!(program.validate(), Ok(()), "{program}");
        assert_eq!(program, random_program(seed, &Options::from_mask(seed)));
        assert!((2..=4).contains(&program.tasks.len()));
        for (task, list) in program.tasks.iter().enumerate() {
            let body = |i: &&Instr| !matches!(i, Spawn(_) | Join(_));
            assert!(list.iter().filter(body).count() <= 4);
            for instr in list {
                let kind = match instr {
                    Load(_) | Store(..) | Add(..) | Cas(..) => 0,
                    Lock(_) => 1,
                    TryLock(_) => 2,
                    Read(_) | Write(_) => 3,
                    Join(_) => 4,
                    Park | Unpark(_) => 5,
                    Yield => 6,
                    Spawn(_) if task != 0 => 7,
                    _ => continue,
                };
                assert!(seed >> kind & 1 == 1, "{instr:?} is switched off");
                seen[kind] += 1;
            }
        }
    }
    assert!(seen.iter().all(|times| *times > 1_000), "{seen:?}");
}
