//! The core's scheduler beside the printed one, over long random walks: the same P and T after every step, whatever the order
//! in which tasks are created, and again after a reset.

use caissa_core::fair::Fairness;
use caissa_core::guide::Random;
use caissa_core::{TaskId, TaskSet};

use super::on_programs;
use super::printed::Printed;
use super::program::{Program, Set, TASKS, members, only};
use super::space::{compare, schedulable, step};

const STEPS: u32 = 60;

/// One of the tasks of a set.
fn one_of(random: &mut Random, set: Set) -> usize {
    members(set).nth(random.below(set.count_ones()) as usize).expect("not empty")
}

/// One walk; says how often somebody enabled was kept back.
fn walk(program: &Program, k: u32, random: &mut Random, scheduler: &mut Fairness) -> u32 {
    let mut printed = Printed::new(program.all());
    let mut state = program.initial();
    let mut kept_back = 0;
    let mut yielded = false;
    for _ in 0..STEPS {
        let es = program.enabled(&state);
        let t = compare(scheduler, &printed, es);
        assert_eq!(scheduler.is_active(), yielded);
        assert_eq!(t == 0, es == 0);
        if t == 0 {
            break;
        }
        kept_back += (t != es) as u32;
        let task = one_of(random, t);
        let next = program.next(&state, task);
        let (yields, after) = (program.yielding(&state) & only(task) != 0, program.enabled(&next));
        printed.step(k, task, yields, es, after);
        step(scheduler, task, yields, es, after);
        yielded |= yields;
        state = next;
    }
    kept_back
}

#[test]
fn every_step_is_as_printed() {
    let mut schedulers = [1, 2, 3].map(Fairness::new);
    let mut kept_back = [0; 3];
    on_programs(4_000, |seed, program| {
        let mut random = Random::new(seed);
        for (index, scheduler) in schedulers.iter_mut().enumerate() {
            for _ in 0..4 {
                kept_back[index] += walk(program, index as u32 + 1, &mut random, scheduler);
                scheduler.reset();
            }
        }
    });
    assert!(kept_back.iter().all(|&count| count > 300), "{kept_back:?}");
}

/// The same where sets of tasks take more than one word.
#[test]
fn numbers_of_tasks_do_not_matter() {
    const NUMBERS: [u32; TASKS] = [63, 64, 200];
    let wide = |set: Set| members(set).map(|task| TaskId(NUMBERS[task])).collect::<TaskSet>();
    let mut kept_back = 0;
    on_programs(500, |seed, program| {
        let mut random = Random::new(seed);
        let (mut narrow, mut far) = (Fairness::new(1), Fairness::new(1));
        let mut state = program.initial();
        for _ in 0..STEPS {
            let es = program.enabled(&state);
            let t = schedulable(&narrow, es);
            let mut out = TaskSet::new();
            assert_eq!(far.schedulable(&wide(es), &mut out), t != es);
            assert!(t == es || out == wide(t), "{out:?} of {t:03b}");
            if t == 0 {
                break;
            }
            kept_back += (t != es) as u32;
            let task = one_of(&mut random, t);
            let next = program.next(&state, task);
            let (yields, after) = (program.yielding(&state) & only(task) != 0, program.enabled(&next));
            step(&mut narrow, task, yields, es, after);
            far.step(TaskId(NUMBERS[task]), yields, &wide(es), &wide(after), false);
            state = next;
        }
    });
    assert!(kept_back > 100, "{kept_back}");
}

/// Without fairness nothing is followed and nobody is kept back.
#[test]
fn with_no_k_all_are_schedulable() {
    on_programs(100, |seed, program| {
        let mut scheduler = Fairness::new(0);
        let mut random = Random::new(seed);
        let mut state = program.initial();
        for _ in 0..STEPS {
            let es = program.enabled(&state);
            assert!(schedulable(&scheduler, es) == es && !scheduler.is_active());
            if es == 0 {
                break;
            }
            let task = one_of(&mut random, es);
            let next = program.next(&state, task);
            let yields = program.yielding(&state) & only(task) != 0;
            step(&mut scheduler, task, yields, es, program.enabled(&next));
            state = next;
        }
    });
}
