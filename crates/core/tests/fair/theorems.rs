//! Theorems 1 to 6, each on the programs that satisfy its premise, for several k.
//!
//! Theorem 5 holds in a stronger form than it is printed: a task's first yield that counts makes no edge, so that all
//! executions are generated in which no task yields more than 2k - 1 times (not k - 1).

use std::collections::HashSet;

use caissa_core::fair::Fairness;

use super::on_programs;
use super::program::{Instruction, Program, State, only};
use super::space::{Space, edges, fair_round, schedulable, step, within_yields};
use super::stateless::explore;

/// Searches without stored states are for programs with at most so many paths.
const MAX_PATHS: u64 = 1_000;

/// The premise of Theorem 2: no infinite execution satisfies GS => SF.
fn must_end(plain: &Space) -> bool {
    !plain.graph.violates_gs() && !plain.graph.has_fair()
}

/// Figure 3: T1 spins until main has set a variable. It goes round twice at most; then main has to run.
#[test]
fn a_spin_loop_is_taken_twice() {
    let program = Program::new(vec![
        vec![Instruction::Spawn, Instruction::Set(0, 1), Instruction::End],
        vec![Instruction::Test(0, 1, 2), Instruction::Yield(0), Instruction::End],
    ]);
    for k in 1..=3 {
        let explored = explore(&program, k, 100);
        let spins = |path: &Vec<usize>| path[1..].iter().take_while(|&&task| task == 1).count();
        assert_eq!(explored.paths.iter().map(spins).max(), Some(4 * k as usize), "steps before main goes on");
        assert_eq!((explored.endless, explored.rounds), (0, 2 * k as usize));
        // After n steps of T1 main sets the variable and ends: anywhere among the 2 steps that T1 has left if n is even, 3 if odd.
        assert_eq!(explored.paths.len(), 3 * (2 * k as usize + 1) + 4 * 2 * k as usize);
        assert_eq!(explored.visited, states(&Space::plain(&program)));
    }
}

#[test]
fn infinite_executions_in_which_all_yield_are_fair() {
    let mut programs = 0;
    on_programs(1_000, |_, program| {
        let tempting = Space::plain(program).graph.has_starving();
        for k in 1..=3 {
            let Some(Space { graph, .. }) = Space::fair(program, k) else { continue };
            assert!(!graph.has_starving(), "k = {k}");
            programs += (tempting && graph.is_cyclic()) as u32;
        }
    });
    assert!(programs > 600, "{programs} in which somebody could starve");
}

#[test]
fn programs_without_infinite_executions_that_are_fair_or_lazy_end() {
    let (mut programs, mut searched) = (0, 0);
    on_programs(4_000, |_, program| {
        let plain = Space::plain(program);
        if !plain.graph.is_cyclic() || !must_end(&plain) {
            return;
        }
        programs += 1;
        for k in 1..=3 {
            let Some(fair) = Space::fair(program, k) else { continue };
            assert!(!fair.graph.is_cyclic(), "k = {k}");
            let (paths, longest) = fair.graph.paths(fair.states.len());
            if paths <= MAX_PATHS {
                searched += 1;
                let explored = explore(program, k, longest + 1);
                assert_eq!(explored.endless, 0, "k = {k}");
                assert_eq!((explored.paths.len() as u64, explored.longest), (paths, longest), "k = {k}");
                assert_eq!(explored.visited, states(&fair), "k = {k}");
            }
        }
    });
    assert!(programs > 150 && searched > 300, "{programs} of the kind, {searched} searched");
}

fn states(space: &Space) -> HashSet<State> {
    space.states.iter().copied().collect()
}

/// Theorem 4. With k, the window that makes the edge ends in round 2k at the latest.
#[test]
fn unfair_cycles_are_taken_twice_at_most() {
    let mut programs = 0;
    let mut rounds = [0; 4];
    on_programs(500, |_, program| {
        let plain = Space::plain(program).graph;
        if !plain.is_cyclic() || plain.violates_gs() {
            return;
        }
        programs += 1;
        for k in 1..=3 {
            let Some(Space { graph, .. }) = Space::fair(program, k) else { continue };
            let explored = explore(program, k, graph.limit(MAX_PATHS, 40));
            assert!(explored.rounds <= 2 * k as usize, "{} rounds, k = {k}", explored.rounds);
            rounds[k as usize] = rounds[k as usize].max(explored.rounds);
        }
    });
    assert!(programs > 200, "{programs}");
    assert_eq!(rounds, [0, 2, 4, 6], "as often as they may be");
}

#[test]
fn states_of_small_yield_count_are_visited() {
    let mut missed = [0; 4];
    on_programs(1_000, |_, program| {
        let plain = states(&Space::plain(program));
        for k in 1..=3 {
            let Some(fair) = Space::fair(program, k) else { continue };
            let visited = states(&fair);
            assert!(visited.is_subset(&plain));
            let all_within =
                |count| within_yields(program, count).keys().all(|state| visited.contains(state));
            assert!(all_within(2 * k - 1), "k = {k}");
            missed[k as usize] += (visited.len() < plain.len() && !all_within(2 * k)) as u32;
        }
    });
    assert!(missed[1] > 0, "{missed:?}: one yield more can hide a state");
}

/// Theorem 6. With k: a state of yield count below k, a cycle in which nobody yields more than k times.
#[test]
fn fair_cycles_with_one_yield_of_each_task_are_found() {
    let mut programs = [0; 4];
    on_programs(600, |_, program| {
        let plain = Space::plain(program).graph;
        if !plain.has_fair() {
            return;
        }
        for k in 1..=3 {
            let reached = within_yields(program, k - 1);
            let mut starts: Vec<_> = reached.into_iter().collect();
            starts.sort();
            let found = starts.into_iter().find_map(|(state, path)| {
                let round = fair_round(program, state, k)?;
                Some((path, round))
            });
            let Some((path, round)) = found else { continue };
            programs[k as usize] += 1;
            let steps = path.iter().chain(round.iter().cycle().take(1_000 * round.len()));
            follow(program, k, steps.copied());
            assert!(Space::fair(program, k).is_none_or(|fair| fair.graph.is_cyclic()), "k = {k}");
        }
    });
    assert!(programs[1..].iter().all(|&count| count > 150), "{programs:?}");
}

/// The scheduler generates this execution, and makes no edge.
fn follow(program: &Program, k: u32, tasks: impl Iterator<Item = usize>) {
    let mut scheduler = Fairness::new(k);
    let mut state = program.initial();
    for (at, task) in tasks.enumerate() {
        let es = program.enabled(&state);
        assert!(schedulable(&scheduler, es) & only(task) != 0, "T{task} at step {at}, k = {k}");
        let next = program.next(&state, task);
        let yields = program.yielding(&state) & only(task) != 0;
        step(&mut scheduler, task, yields, es, program.enabled(&next));
        assert_eq!(edges(&scheduler), [], "after step {at}, k = {k}");
        state = next;
    }
}
