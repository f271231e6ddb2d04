//! `sync::mpsc`: as std's outside a check; inside, every merge of the senders, and every way for a side to go away.

use crate::support::types_outcomes::{assert_says, finding, outcomes};
use caissa::sync::mpsc::{self, TryRecvError, TrySendError};
use caissa::{Bug, Note, OpKind, TaskId, thread};

like_std! { messages_come_in_order_and_then_the_end -> (Vec<u32>, Vec<bool>) {
    let (sender, receiver) = sync::mpsc::channel();
    let empty = receiver.try_recv() == Err(sync::mpsc::TryRecvError::Empty);
    for n in 1..=4 {
        sender.send(n).unwrap();
    }
    let mut got = vec![receiver.recv().unwrap(), receiver.try_recv().unwrap()];
    let second = sender.clone();
    drop(sender);
    got.extend(receiver.try_iter());
    second.send(5).unwrap();
    drop(second);
    got.extend(&receiver);
    let gone = receiver.try_recv() == Err(sync::mpsc::TryRecvError::Disconnected);
    (got, vec![empty, gone, receiver.recv().is_err(), receiver.iter().next().is_none()])
} }

like_std! { a_receiver_that_is_gone_gives_the_message_back -> (u32, u32, bool) {
    let (sender, receiver) = sync::mpsc::channel();
    let (bounded, bounded_receiver) = sync::mpsc::sync_channel(1);
    drop((receiver, bounded_receiver));
    let disconnected = bounded.try_send(3) == Err(sync::mpsc::TrySendError::Disconnected(3));
    (sender.send(1).unwrap_err().0, bounded.send(2).unwrap_err().0, disconnected)
} }

like_std! { a_bounded_channel_is_full_at_its_bound -> (Vec<bool>, Vec<u32>) {
    let (sender, receiver) = sync::mpsc::sync_channel(2);
    let mut facts = vec![sender.send(1).is_ok(), sender.try_send(2).is_ok()];
    facts.push(sender.try_send(3) == Err(sync::mpsc::TrySendError::Full(3)));
    let first = receiver.recv().unwrap();
    facts.push(sender.try_send(4).is_ok());
    drop(sender.clone());
    drop(sender);
    (facts, [first].into_iter().chain(receiver).collect())
} }

like_std! { a_rendezvous_hands_over -> (Vec<u32>, bool, bool) {
    let (sender, receiver) = sync::mpsc::sync_channel(0);
    let nobody = sender.try_send(9) == Err(sync::mpsc::TrySendError::Full(9));
    let empty = receiver.try_recv().is_err();
    let other = thread::spawn(move || {
        for n in 1..=3 {
            sender.send(n).unwrap();
        }
    });
    let got = receiver.iter().collect();
    other.join().unwrap();
    (got, nobody, empty)
} }

like_std! { what_a_channel_still_holds_is_dropped_with_it -> usize {
    let counted = sync::Arc::new(());
    let (sender, receiver) = sync::mpsc::channel();
    sender.send(sync::Arc::clone(&counted)).unwrap();
    sender.send(sync::Arc::clone(&counted)).unwrap();
    drop(receiver);
    drop(sender);
    sync::Arc::strong_count(&counted)
} }

like_std! { halves_can_be_shown -> String {
    let (sender, receiver) = sync::mpsc::channel::<u32>();
    let (bounded, _receiver) = sync::mpsc::sync_channel::<u32>(1);
    format!("{sender:?} {bounded:?} {receiver:?}")
} }

#[test]
fn auto_traits_are_stds() {
    fn send_sync<T: Send + Sync>() {}
    fn send<T: Send>() {}
    fn unwind_safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    send_sync::<mpsc::Sender<u32>>();
    send_sync::<mpsc::SyncSender<u32>>();
    send::<mpsc::Receiver<u32>>();
    unwind_safe::<mpsc::Sender<u32>>();
    unwind_safe::<mpsc::SyncSender<u32>>();
    unwind_safe::<mpsc::Receiver<u32>>();
}

#[test]
fn threads_outside_a_check_send_everything() {
    for bound in [None, Some(0), Some(3)] {
        let mut sum = 0;
        let add = |n: u64| sum += n;
        match bound {
            None => {
                let (sender, receiver) = mpsc::channel();
                let threads = [(); 2].map(|()| {
                    let sender = sender.clone();
                    thread::spawn(move || (1..=100).for_each(|n| sender.send(n).unwrap()))
                });
                drop(sender);
                receiver.iter().for_each(add);
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            }
            Some(bound) => {
                let (sender, receiver) = mpsc::sync_channel(bound);
                let threads = [(); 2].map(|()| {
                    let sender = sender.clone();
                    thread::spawn(move || (1..=100).for_each(|n| sender.send(n).unwrap()))
                });
                drop(sender);
                receiver.into_iter().for_each(add);
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            }
        }
        assert_eq!(sum, 2 * 5050);
    }
}

/// Two senders with two messages each: 4 over 2 merges.
#[test]
fn a_receiver_sees_every_merge_of_its_senders() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let second = sender.clone();
        let send = |sender: &mpsc::Sender<_>, messages: [&'static str; 2]| {
            messages.into_iter().for_each(|message| sender.send(message).unwrap());
        };
        let task = thread::spawn(move || send(&second, ["a", "b"]));
        send(&sender, ["x", "y"]);
        task.join().unwrap();
        drop(sender);
        receiver.into_iter().collect::<String>()
    });
    let merges = ["abxy", "axby", "axyb", "xaby", "xayb", "xyab"];
    assert_eq!(seen, merges.map(str::to_owned).into());
}

#[test]
fn try_recv_sees_nothing_a_message_and_the_end() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let task = thread::spawn(move || sender.send(1).unwrap());
        let tries = (receiver.try_recv(), receiver.try_recv());
        task.join().unwrap();
        format!("{tries:?}")
    });
    let (got, empty, gone) = (Ok(1), Err(TryRecvError::Empty), Err(TryRecvError::Disconnected));
    let pairs: [(Result<i32, TryRecvError>, Result<i32, TryRecvError>); 4] =
        [(empty, empty), (empty, got), (got, empty), (got, gone)];
    assert_eq!(seen, pairs.map(|pair| format!("{pair:?}")).into());
}

#[test]
fn the_last_sender_to_go_ends_the_channel_in_every_order() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel::<u32>();
        let second = sender.clone();
        let task = thread::spawn(move || drop(second));
        let receives = thread::spawn(move || receiver.recv());
        drop(sender);
        task.join().unwrap();
        receives.join().unwrap().ok()
    });
    assert_eq!(seen, [None].into());
}

#[test]
fn a_bounded_sender_waits_for_room() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let task = thread::spawn(move || {
            sender.send(1).unwrap();
            let first_try = sender.try_send(2);
            sender.send(3).unwrap();
            first_try
        });
        let got: Vec<_> = receiver.iter().collect();
        (got, task.join().unwrap() == Err(TrySendError::Full(2)))
    });
    assert_eq!(seen, [(vec![1, 2, 3], false), (vec![1, 3], true)].into());
}

#[test]
fn a_receiver_that_goes_frees_a_sender_that_waits() {
    for bound in [0, 1] {
        let seen = outcomes(move || {
            let (sender, receiver) = mpsc::sync_channel(bound);
            let task = thread::spawn(move || {
                let first = sender.send(1);
                (first, sender.send(2))
            });
            let got = receiver.try_recv().ok();
            drop(receiver);
            let (first, second) = task.join().unwrap();
            (got, first.map_err(|error| error.0), second.map_err(|error| error.0))
        });
        let expected = if bound == 0 {
            // The sender is done with a message only when it has been taken.
            [(None, Err(1), Err(2)), (Some(1), Ok(()), Err(2))].into_iter().collect()
        } else {
            [
                (None, Err(1), Err(2)),
                (None, Ok(()), Err(2)),
                (Some(1), Ok(()), Err(2)),
                (Some(1), Ok(()), Ok(())),
            ]
            .into_iter()
            .collect()
        };
        assert_eq!(seen, expected, "bound {bound}");
    }
}

#[test]
fn a_rendezvous_try_send_needs_a_receiver_that_waits() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let task = thread::spawn(move || receiver.recv().ok());
        let sent = sender.try_send(1).is_ok();
        drop(sender);
        (sent, task.join().unwrap())
    });
    assert_eq!(seen, [(false, None), (true, Some(1))].into());
}

/// When `send` has returned, the message has been taken; with room for one it need not have been.
#[test]
fn a_rendezvous_send_returns_when_the_message_is_taken() {
    use caissa::sync::atomic::{AtomicBool, Ordering::SeqCst};
    fn taken_when_sent(bound: usize) -> bool {
        let (sender, receiver) = mpsc::sync_channel(bound);
        let waits = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let receiver = receiver;
                waits.store(true, SeqCst);
                receiver.recv().unwrap();
            });
            sender.send(()).unwrap();
            waits.load(SeqCst)
        })
    }
    assert_eq!(outcomes(|| taken_when_sent(0)), [true].into());
    assert_eq!(outcomes(|| taken_when_sent(1)), [false, true].into());
}

#[test]
fn two_rendezvous_senders_come_in_either_order() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let tasks = [1, 2].map(|n| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap())
        });
        drop(sender);
        let got: Vec<_> = receiver.iter().collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        got
    });
    assert_eq!(seen, [vec![1, 2], vec![2, 1]].into());
}

/// One sender waits for room, one tries and then waits; the receiver takes up to two and goes. The outcomes are those of a
/// direct enumeration of this program's states.
#[test]
fn two_senders_a_bound_and_a_receiver_that_goes() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let second = sender.clone();
        let one = thread::spawn(move || second.send(1).is_ok());
        let two = thread::spawn(move || (sender.try_send(2).is_ok(), sender.send(3).is_ok()));
        let got = (receiver.recv().unwrap_or(0), receiver.try_recv().unwrap_or(0));
        drop(receiver);
        (got, one.join().unwrap(), two.join().unwrap())
    });
    let expected = [
        ((1, 0), true, (false, false)),
        ((1, 0), true, (false, true)),
        ((1, 0), true, (true, false)),
        ((1, 2), true, (true, false)),
        ((1, 2), true, (true, true)),
        ((1, 3), true, (false, true)),
        ((2, 0), false, (true, false)),
        ((2, 0), false, (true, true)),
        ((2, 0), true, (true, false)),
        ((2, 1), true, (true, false)),
        ((2, 1), true, (true, true)),
        ((2, 3), false, (true, true)),
        ((2, 3), true, (true, true)),
    ];
    assert_eq!(seen, expected.into());
}

/// The try succeeds only against a receiver that waits and has not been served.
#[test]
fn a_send_and_a_try_meet_at_a_rendezvous() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let second = sender.clone();
        let sends = thread::spawn(move || second.send(1).is_ok());
        let receives =
            thread::spawn(move || (receiver.recv().unwrap_or(0), receiver.try_recv().unwrap_or(0)));
        let tried = sender.try_send(2).is_ok();
        drop(sender);
        (tried, receives.join().unwrap(), sends.join().unwrap())
    });
    assert_eq!(seen, [(false, (1, 0), true), (true, (2, 0), false), (true, (2, 1), true)].into());
}

#[test]
fn a_receiver_whose_senders_never_go_waits_for_ever() {
    let (found, text) = finding(|| {
        let (sender, receiver) = mpsc::channel();
        sender.send(1).unwrap();
        assert_eq!(receiver.iter().sum::<u32>(), 1);
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    assert_eq!((blocked.len(), blocked[0].task, blocked[0].op.kind), (1, TaskId::MAIN, OpKind::Recv));
    assert_eq!(cycle, &[]);
    assert_says(&text, &["can never go on", "waits for a message on channel#0, which still has senders"]);
}

#[test]
fn a_sender_without_room_or_receiver_waits_for_ever() {
    for (bound, waits_at) in [(0, OpKind::Handover), (1, OpKind::Send)] {
        let (found, text) = finding(move || {
            let (sender, _receiver) = mpsc::sync_channel(bound);
            for n in 0..=bound {
                sender.send(n).unwrap();
            }
        });
        let Bug::Deadlock { blocked, .. } = &found.bug else { panic!("{text}") };
        assert_eq!(blocked[0].op.kind, waits_at);
        assert_says(&text, &["deadlock", "channel#0", "mpsc.rs"]);
    }
}

#[test]
fn an_unexpected_end_is_found_and_shown() {
    let (found, text) = finding(|| {
        let (sender, receiver) = mpsc::channel::<u32>();
        let task = thread::spawn(move || drop(receiver));
        sender.send(1).expect("the receiver is there");
        task.join().unwrap();
    });
    let last = found.trace.events.iter().rfind(|event| event.op.kind == OpKind::Send);
    assert_eq!(last.map(|event| &event.note), Some(&Note::Disconnected));
    assert_says(&text, &["the receiver is there", "drop receiver channel#0", "send channel#0: disconnected"]);
}
