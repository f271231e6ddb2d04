//! Schedules of executions under fairness: the string replays them, and holds what differs from the default among the tasks
//! that may be scheduled. No switch that fairness forced counts as a preemption.

use caissa_core::{Cost, GuideSpec, Job, Schedule, Scope};

use super::front_end::{FrontEnd, Run, job};
use super::on_programs;
use super::paths::Account;

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
                let account = Account::of(program, k, &tasks);
                assert_eq!(trace.preemptions(), account.preemptions, "{tasks:?}, k = {k}");
                assert_eq!(schedule.stops.len(), account.choices, "{tasks:?}, k = {k}");
                forced += account.forced;
                preempted += account.preemptions;
            }
        }
    });
    assert!(forced > 100 && preempted > 100, "{forced} forced, {preempted} preemptions");
}
