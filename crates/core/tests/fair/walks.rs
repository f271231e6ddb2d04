//! The core's scheduler beside the printed one, over long random walks: the same P and T after every step, whatever the order
//! in which tasks are created, and again after a reset.

use caissa_core::fair::Fairness;
use caissa_core::guide::Random;

use super::on_programs;
use super::printed::Printed;
use super::program::{Program, members, only};
use super::space::{compare, schedulable, step};

const STEPS: u32 = 60;

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
        let task = members(t).nth(random.below(t.count_ones()) as usize).expect("one of T");
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
            let task = members(es).nth(random.below(es.count_ones()) as usize).expect("one of ES");
            let next = program.next(&state, task);
            let yields = program.yielding(&state) & only(task) != 0;
            step(&mut scheduler, task, yields, es, program.enabled(&next));
            state = next;
        }
    });
}
