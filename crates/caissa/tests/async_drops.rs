//! Dropping an end of an async channel is a step, also where nobody has used the channel before: others may come before it or
//! after. Compared with the channels of std's kind where these do the same.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex as StdMutex;

use crate::support::racing::{Data, races};
use crate::support::types_outcomes::{Explored, assert_says, explored, finding, outcomes};
use caissa::future::sync::{broadcast, mpsc, oneshot, watch};
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, LazyLock, mpsc as like_std};
use caissa::{Bug, Builder, Error, Misuse, Search, Verdict, thread};

/// One task drops what nobody has used. What another sees, who comes to it by a step of its own.
fn dropped<A, B, T>(
    make: impl Fn() -> (A, B) + Clone + Send + Sync + 'static,
    see: impl Fn(A) -> T + Clone + Send + Sync + 'static,
) -> Explored<T>
where
    A: Send + 'static,
    B: Send + 'static,
    T: Ord + Debug + Send + 'static,
{
    let spawned = explored({
        let (make, see) = (make.clone(), see.clone());
        move || {
            let (used, unused) = make();
            let see = see.clone();
            let task = thread::spawn(move || {
                AtomicUsize::new(0).load(SeqCst);
                see(used)
            });
            drop(unused);
            task.join().unwrap()
        }
    });
    // The other way round, and who looks does nothing before.
    let dropping = outcomes(move || {
        let (used, unused) = make();
        let task = thread::spawn(move || drop(unused));
        let seen = see(used);
        task.join().unwrap();
        seen
    });
    assert_eq!(dropping, spawned.outcomes);
    spawned
}

/// The ends of a channel the other way round.
fn swapped<A, B>((a, b): (A, B)) -> (B, A) {
    (b, a)
}

fn figures<T: Ord>(explored: Explored<T>) -> (BTreeSet<T>, u64, u64) {
    (explored.outcomes, explored.executions, explored.classes)
}

const BOTH: [bool; 2] = [false, true];

// ---- one per type and end ----

#[test]
fn the_receiver_of_an_mpsc_is_dropped_before_a_send_or_after() {
    let unbounded = dropped(mpsc::unbounded_channel, |sender| sender.send(1).is_ok());
    let bounded = dropped(|| mpsc::channel(1), |sender| sender.try_send(1).is_ok());
    let twin = dropped(like_std::channel, |sender| sender.send(1).is_ok());
    let bounded_twin = dropped(|| like_std::sync_channel(1), |sender| sender.try_send(1).is_ok());
    let expected = figures(twin);
    assert_eq!((&expected.0, expected.1), (&BOTH.into(), 5));
    assert_eq!(figures(unbounded), expected);
    assert_eq!(figures(bounded), expected);
    assert_eq!(figures(bounded_twin), expected);
    let waits = dropped(|| mpsc::channel(1), |sender| sender.blocking_send(1).is_ok());
    assert_eq!(waits.outcomes, BOTH.into());
    assert_eq!(dropped(mpsc::unbounded_channel::<u8>, |sender| sender.is_closed()).outcomes, BOTH.into());
    assert_eq!(dropped(|| mpsc::channel::<u8>(1), |sender| sender.is_closed()).outcomes, BOTH.into());
}

#[test]
fn the_sender_of_an_mpsc_is_dropped_before_a_look_or_after() {
    use like_std::TryRecvError::Empty as EmptyTwin;
    use mpsc::error::TryRecvError::Empty;
    let unbounded = dropped(
        || swapped(mpsc::unbounded_channel::<u8>()),
        |mut receiver| receiver.try_recv() == Err(Empty),
    );
    let bounded =
        dropped(|| swapped(mpsc::channel::<u8>(1)), |mut receiver| receiver.try_recv() == Err(Empty));
    let twin =
        dropped(|| swapped(like_std::channel::<u8>()), |receiver| receiver.try_recv() == Err(EmptyTwin));
    let expected = figures(twin);
    assert_eq!((&expected.0, expected.1), (&BOTH.into(), 5));
    assert_eq!(figures(unbounded), expected);
    assert_eq!(figures(bounded), expected);
}

#[test]
fn the_last_sender_is_dropped_before_a_weak_one_is_used_or_after() {
    let unbounded = || {
        let (sender, _) = mpsc::unbounded_channel::<u8>();
        (sender.downgrade(), sender)
    };
    assert_eq!(dropped(unbounded, |weak| weak.upgrade().is_some()).outcomes, BOTH.into());
    let bounded = || {
        let (sender, _) = mpsc::channel::<u8>(1);
        (sender.downgrade(), sender)
    };
    assert_eq!(dropped(bounded, |weak| weak.upgrade().is_some()).outcomes, BOTH.into());
}

#[test]
fn the_receiver_of_a_oneshot_is_dropped_before_the_send_or_after() {
    assert_eq!(dropped(oneshot::channel, |sender| sender.send(1).is_ok()).outcomes, BOTH.into());
    assert_eq!(dropped(oneshot::channel::<u8>, |sender| sender.is_closed()).outcomes, BOTH.into());
}

#[test]
fn the_sender_of_a_oneshot_is_dropped_before_a_look_or_after() {
    let empty =
        |mut receiver: oneshot::Receiver<u8>| receiver.try_recv() == Err(oneshot::error::TryRecvError::Empty);
    assert_eq!(dropped(|| swapped(oneshot::channel()), empty).outcomes, BOTH.into());
}

#[test]
fn the_receiver_of_a_watch_is_dropped_before_a_send_or_after() {
    assert_eq!(dropped(|| watch::channel(0), |sender| sender.send(1).is_ok()).outcomes, BOTH.into());
    assert_eq!(dropped(|| watch::channel(0), |sender| sender.is_closed()).outcomes, BOTH.into());
}

#[test]
fn the_sender_of_a_watch_is_dropped_before_a_look_or_after() {
    let open = |receiver: watch::Receiver<u8>| receiver.has_changed().is_ok();
    assert_eq!(dropped(|| swapped(watch::channel(0)), open).outcomes, BOTH.into());
}

#[test]
fn the_receiver_of_a_broadcast_is_dropped_before_a_send_or_after() {
    assert_eq!(dropped(|| broadcast::channel(1), |sender| sender.send(1).is_ok()).outcomes, BOTH.into());
    let count = dropped(|| broadcast::channel::<u8>(1), |sender| sender.receiver_count());
    assert_eq!(count.outcomes, [0, 1].into());
}

#[test]
fn the_sender_of_a_broadcast_is_dropped_before_a_look_or_after() {
    let empty = |mut receiver: broadcast::Receiver<u8>| {
        receiver.try_recv() == Err(broadcast::error::TryRecvError::Empty)
    };
    assert_eq!(dropped(|| swapped(broadcast::channel(1)), empty).outcomes, BOTH.into());
}

// ---- programs by chance ----

/// What a task does with the end that it has, and with a variable that all share.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Sends or receives.
    Use,
    Look,
    Drop,
}

/// One program with a channel of each kind: a task sends, the main task receives. What is seen, the sender's first. No end is
/// cloned, which would be a use.
macro_rules! program {
    ($name:ident, $sender:ty, $channel:expr, $send:ident) => {
        fn $name(acts: &[Vec<Act>; 2]) -> Vec<String> {
            let (sender, mut receiver) = $channel;
            let variable = Arc::new(AtomicUsize::new(0));
            let send = |acts: Vec<Act>, sender: $sender| {
                let variable = Arc::clone(&variable);
                thread::spawn(move || {
                    let (mut sender, mut seen) = (Some(sender), String::new());
                    for act in acts {
                        match (act, &sender) {
                            (Act::Use, Some(sender)) => {
                                seen += if sender.$send(1).is_ok() { "s" } else { "-" }
                            }
                            (Act::Look, _) => seen += &variable.fetch_add(1, SeqCst).to_string(),
                            (Act::Drop, _) => drop(sender.take()),
                            _ => {}
                        }
                    }
                    seen
                })
            };
            let task = send(acts[0].clone(), sender);
            let mut seen = String::new();
            // Without it the receiver of one kind does not have to be mutable.
            let _ = &mut receiver;
            let mut receiver = Some(receiver);
            for act in &acts[1] {
                match (act, &mut receiver) {
                    (Act::Use, Some(receiver)) => {
                        seen += match receiver.try_recv() {
                            Ok(_) => "r",
                            Err(error) if format!("{error:?}") == "Empty" => "e",
                            Err(_) => "-",
                        }
                    }
                    (Act::Look, _) => seen += &variable.fetch_add(1, SeqCst).to_string(),
                    (Act::Drop, _) => drop(receiver.take()),
                    _ => {}
                }
            }
            vec![task.join().unwrap(), seen]
        }
    };
}

program!(unbounded, mpsc::UnboundedSender<u8>, mpsc::unbounded_channel(), send);
program!(unbounded_twin, like_std::Sender<u8>, like_std::channel(), send);
program!(bounded, mpsc::Sender<u8>, mpsc::channel(1), try_send);
program!(bounded_twin, like_std::SyncSender<u8>, like_std::sync_channel(1), try_send);

#[test]
fn random_programs_show_what_their_twins_show() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |count: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) % count
    };
    let mut dropped_first = 0;
    for _ in 0..60 {
        let acts: [Vec<Act>; 2] = std::array::from_fn(|_| {
            (0..next(4)).map(|_| [Act::Use, Act::Look, Act::Drop][next(3) as usize]).collect()
        });
        dropped_first += usize::from(acts.iter().any(|acts| matches!(acts.first(), Some(Act::Drop))));
        for (ours, twin) in [
            (
                unbounded as fn(&[Vec<Act>; 2]) -> Vec<String>,
                unbounded_twin as fn(&[Vec<Act>; 2]) -> Vec<String>,
            ),
            (bounded, bounded_twin),
        ] {
            let all = |program: fn(&[Vec<Act>; 2]) -> Vec<String>| {
                let acts = acts.clone();
                let explored = explored(move || program(&acts));
                (explored.outcomes, explored.executions)
            };
            assert_eq!(all(ours), all(twin), "{acts:?}");
        }
    }
    assert!(dropped_first > 20, "{dropped_first}");
}

// ---- what comes of it ----

#[test]
fn a_task_that_takes_the_end_of_an_unused_receiver_for_granted_fails() {
    let program = |first: bool| {
        move || {
            let (sender, receiver) = oneshot::channel();
            let receiver = Some(receiver).filter(|_| !first);
            let task = thread::spawn(move || {
                AtomicUsize::new(0).load(SeqCst);
                assert!(sender.send(1).is_err(), "somebody is there");
            });
            drop(receiver);
            task.join().unwrap();
        }
    };
    let (found, text) = finding(program(false));
    assert!(matches!(found.bug, Bug::Panic { .. }), "{:?}", found.bug);
    assert_says(&text, &["somebody is there", "async_drops.rs"]);
    outcomes(program(true));
}

/// Who finds an end gone comes after what its owner did before; who does not find that, does not.
#[test]
fn a_drop_hands_on_what_was_done_before_it() {
    fn check<A: Send + 'static, B: Send + 'static>(
        make: impl Fn() -> (A, B) + Copy + Send + Sync + 'static,
        is_gone: impl Fn(A) -> bool + Copy + Send + Sync + 'static,
    ) {
        let program = move |careful: bool| {
            move || {
                let (used, unused) = make();
                let data = Arc::new(Data::default());
                let other = Arc::clone(&data);
                let task = thread::spawn(move || {
                    other.set(1);
                    drop(unused);
                });
                if is_gone(used) || !careful {
                    data.get();
                }
                task.join().unwrap();
            }
        };
        outcomes(program(true));
        races(program(false));
    }
    check(mpsc::unbounded_channel::<u8>, |sender| sender.is_closed());
    check(
        || swapped(mpsc::unbounded_channel::<u8>()),
        |mut receiver| receiver.try_recv() == Err(mpsc::error::TryRecvError::Disconnected),
    );
    check(oneshot::channel::<u8>, |sender| sender.is_closed());
    check(
        || swapped(oneshot::channel::<u8>()),
        |mut receiver| receiver.try_recv() == Err(oneshot::error::TryRecvError::Closed),
    );
    check(|| watch::channel(0), |sender| sender.is_closed());
    check(|| swapped(watch::channel(0)), |receiver| receiver.has_changed().is_err());
    check(|| broadcast::channel::<u8>(1), |sender| sender.send(1).is_err());
    check(
        || swapped(broadcast::channel::<u8>(1)),
        |mut receiver| receiver.try_recv() == Err(broadcast::error::TryRecvError::Closed),
    );
}

// ---- where it is no step ----

#[test]
fn ends_that_are_dropped_while_a_task_unwinds_are_gone_without_a_step() {
    let seen = outcomes(|| {
        let (sender, mut receiver) = mpsc::unbounded_channel::<u8>();
        let (unused, _kept) = oneshot::channel::<u8>();
        let caught = catch_unwind(AssertUnwindSafe(move || {
            let _ends = (sender, unused);
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(caught.is_err());
        receiver.try_recv() == Err(mpsc::error::TryRecvError::Disconnected)
    });
    assert_eq!(seen, [true].into());
}

#[test]
fn an_execution_that_is_cut_drops_its_unused_ends() {
    let (found, _) = finding(|| {
        let _ends = (
            mpsc::channel::<u8>(1),
            mpsc::unbounded_channel::<u8>(),
            oneshot::channel::<u8>(),
            watch::channel(0),
            broadcast::channel::<u8>(1),
        );
        thread::park();
    });
    assert!(matches!(found.bug, Bug::Deadlock { .. }), "{:?}", found.bug);
}

/// What statics and results that nobody wants hold is dropped when the execution is over.
#[test]
fn ends_that_outlive_the_tasks_are_dropped() {
    type Ends = (mpsc::UnboundedSender<u8>, StdMutex<oneshot::Receiver<u8>>);
    static ENDS: LazyLock<Ends> =
        LazyLock::new(|| (mpsc::unbounded_channel().0, StdMutex::new(oneshot::channel().1)));
    let seen = outcomes(|| {
        let task = thread::spawn(|| _ = LazyLock::force(&ENDS));
        let (sender, receiver) = broadcast::channel::<u8>(1);
        let _ends = thread::spawn(move || (sender, receiver));
        LazyLock::force(&ENDS);
        task.join().unwrap();
    });
    assert_eq!(seen, [()].into());
}

#[test]
fn an_end_from_elsewhere_is_dropped_without_a_step() {
    // The first is made outside, each other one by the execution before.
    static KEPT: StdMutex<Option<mpsc::UnboundedReceiver<u8>>> = StdMutex::new(None);
    let (outer, receiver) = mpsc::unbounded_channel();
    *KEPT.lock().unwrap() = Some(receiver);
    let explore = |replaces: bool| {
        let report = Builder::new().search(Search::Dfs).explore(move || {
            let mut before = None;
            if replaces {
                // Nobody else is there yet, so these steps leave no choice.
                let (_sender, receiver) = mpsc::unbounded_channel();
                before = KEPT.lock().unwrap().replace(receiver);
                assert!(before.is_some());
            }
            let shared = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&shared);
            let task = thread::spawn(move || other.store(1, SeqCst));
            drop(before);
            shared.load(SeqCst);
            task.join().unwrap();
        });
        let report = report.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        report.executions()
    };
    let without = explore(false);
    assert!(without > 1);
    assert_eq!(explore(true), without);
    assert!(outer.is_closed());
}

#[test]
fn an_unused_end_that_a_thread_outside_drops_is_reported() {
    let error = Builder::new()
        .explore(|| {
            let (_sender, receiver) = oneshot::channel::<u8>();
            std::thread::spawn(move || drop(receiver)).join().unwrap();
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::UsedFromOutside { .. })), "{error}");
}
