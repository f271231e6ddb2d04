//! `sync::Barrier`: as std's outside a check; inside, any of the tasks may be the leader.

use crate::support::types_outcomes::{assert_says, finding, outcomes};
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Barrier};
use caissa::{Bug, OpKind, TaskId, thread};

like_std! { each_round_has_one_leader -> Vec<usize> {
    let barrier = sync::Barrier::new(2);
    let round = || usize::from(barrier.wait().is_leader());
    thread::scope(|scope| {
        let other = scope.spawn(|| [round(), round()]);
        let mine = [round(), round()];
        let others = other.join().unwrap();
        vec![mine[0] + others[0], mine[1] + others[1]]
    })
} }

like_std! { it_is_shown_without_its_insides -> String {
    let barrier = sync::Barrier::new(1);
    format!("{barrier:?} {:?}", barrier.wait())
} }

like_std! { one_task_alone_leads -> (bool, bool) {
    (sync::Barrier::new(1).wait().is_leader(), sync::Barrier::new(0).wait().is_leader())
} }

#[test]
fn threads_outside_a_check_meet() {
    static BARRIER: Barrier = Barrier::new(4);
    static ARRIVED: AtomicUsize = AtomicUsize::new(0);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(|| {
                (1..=50)
                    .filter(|round| {
                        ARRIVED.fetch_add(1, SeqCst);
                        BARRIER.wait();
                        assert_eq!(ARRIVED.load(SeqCst), 4 * round);
                        BARRIER.wait().is_leader()
                    })
                    .count()
            })
        })
        .collect();
    let leaders: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(leaders, 50);
}

#[test]
fn the_last_to_arrive_leads_and_anyone_may_be_last() {
    let seen = outcomes(|| {
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            let others = [(); 2].map(|()| scope.spawn(|| barrier.wait().is_leader()));
            let mine = barrier.wait().is_leader();
            let [one, two] = others.map(|other| other.join().unwrap());
            [mine, one, two]
        })
    });
    assert_eq!(seen, [[false, false, true], [false, true, false], [true, false, false]].into());
}

#[test]
fn nobody_leaves_before_all_have_arrived() {
    let seen = outcomes(|| {
        let barrier = Barrier::new(2);
        let arrived = AtomicUsize::new(0);
        let meet = || {
            arrived.fetch_add(1, SeqCst);
            barrier.wait();
            arrived.load(SeqCst)
        };
        thread::scope(|scope| {
            let other = scope.spawn(meet);
            (meet(), other.join().unwrap())
        })
    });
    assert_eq!(seen, [(2, 2)].into());
}

#[test]
fn too_few_tasks_wait_for_ever() {
    let (found, text) = finding(|| {
        let barrier = Arc::new(Barrier::new(3));
        let other = {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || barrier.wait().is_leader())
        };
        barrier.wait();
        other.join().unwrap();
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| (b.task, b.op.kind)).collect();
    assert_eq!(waits, [(TaskId(0), OpKind::Leave), (TaskId(1), OpKind::Leave)]);
    assert_eq!(cycle, &[]);
    assert_says(
        &text,
        &["deadlock: tasks T0 (main) and T1 can never go on", "waits at barrier#0 for others to arrive"],
    );
}
