//! Schedules of executions under fairness: the string replays them, and what they count as preemptions are none that fairness
//! forced.

use caissa_core::{Cost, GuideSpec, Job, Schedule, Scope};

use super::front_end::{FrontEnd, Run, job};
use super::on_programs;
use super::paths::cost_of;

/// Programs that need not end are followed so far.
const STEPS: usize = 50;

#[test]
fn schedules_replay() {
    let (mut forced, mut preempted) = (0, 0);
    on_programs(300, |seed, program| {
        for k in 1..=3 {
            let mut front_end = FrontEnd::new(program, k);
            let mut one = |prefix, guide| {
                let job = Job { prefix, trace: true, ..job(Scope::One, guide, Cost::Free, STEPS) };
                let Run { tasks, trace, .. } = front_end.run(&job).0.remove(0);
                (tasks, trace.expect("the job asked for it"))
            };
            for guide in [GuideSpec::Random(seed), GuideSpec::Delaying("round-robin".into())] {
                let (tasks, trace) = one(Vec::new(), guide);
                let schedule: Schedule = trace.schedule.to_string().parse().expect("as it was printed");
                let (again, replayed) = one(schedule.prefix(), GuideSpec::NonPreemptive);
                assert_eq!(again, tasks, "k = {k}");
                assert_eq!(schedule.difference(&replayed.schedule), None, "k = {k}");
                let (spent, kept_back) = cost_of(program, k, Cost::Preemptions, &tasks);
                assert_eq!(trace.preemptions(), spent, "{tasks:?}, k = {k}");
                forced += kept_back;
                preempted += spent;
            }
        }
    });
    assert!(forced > 100 && preempted > 100, "{forced} forced, {preempted} preemptions");
}
