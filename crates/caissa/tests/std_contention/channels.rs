//! `mpsc`.

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicU32, Ordering::SeqCst};
use caissa::sync::mpsc::{
    IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, Sender, SyncSender, TryIter, TryRecvError,
    TrySendError, channel, sync_channel,
};
use caissa::thread;
use caissa::time::Instant;

use crate::std_contention::{MS, ZERO};

/// A task sends twice and says after each how often; what it has said before anything was received.
fn sent_before_receiving((sender, receiver): (SyncSender<u32>, Receiver<u32>)) -> u32 {
    let sent = Arc::new(AtomicU32::new(0));
    let other = {
        let sent = Arc::clone(&sent);
        thread::spawn(move || {
            for n in 1..=2 {
                sender.send(n).unwrap();
                sent.store(n, SeqCst);
            }
        })
    };
    let before = sent.load(SeqCst);
    let received = [receiver.recv(), receiver.recv(), receiver.recv()];
    other.join().unwrap();
    assert_eq!(received, [Ok(1), Ok(2), Err(RecvError)]);
    before
}

programs! {
    /// Messages of two senders come in either order, and then no more, since both are gone.
    fn every_message_is_received_once by every_search
    covers ["sync::mpsc::channel", "sync::mpsc::{Sender, Receiver}", "sync::mpsc::Sender::send", "sync::mpsc::Receiver::recv"] {
        let (sender, receiver): (Sender<u32>, Receiver<u32>) = channel();
        let senders = [(sender.clone(), 1), (sender, 2)];
        let tasks = senders.map(|(sender, n)| thread::spawn(move || sender.send(n).is_ok()));
        let received = [receiver.recv(), receiver.recv(), receiver.recv()];
        let sent = tasks.map(|task| task.join().unwrap());
        (received.map(Result::ok), sent)
    }
    within 0 faults gives [([Some(1), Some(2), None], [true; 2]), ([Some(2), Some(1), None], [true; 2])];

    fn a_send_fails_once_the_receiver_is_gone by every_search covers ["sync::mpsc::Sender::send"] {
        let (sender, receiver) = channel();
        let other = thread::spawn(move || [sender.send(1).is_ok(), sender.send(2).is_ok()]);
        drop(receiver);
        other.join().unwrap()
    }
    within 0 faults gives [[false, false], [true, false], [true, true]];

    /// The second message has no room, and when the receiver goes it is refused.
    fn a_send_that_waits_fails_when_the_receiver_goes by every_search covers ["sync::mpsc::SyncSender::send"] {
        let (sender, receiver): (SyncSender<u32>, _) = sync_channel(1);
        let other = thread::spawn(move || [sender.send(1).is_ok(), sender.send(2).is_ok()]);
        drop(receiver);
        other.join().unwrap()
    }
    within 0 faults gives [[false, false], [true, false]];

    /// Without room a send waits until its message is taken.
    fn a_send_without_room_waits_for_the_receiver by every_search
    covers ["sync::mpsc::sync_channel", "sync::mpsc::SyncSender"] {
        let ends: (SyncSender<u32>, _) = sync_channel(0);
        sent_before_receiving(ends)
    }
    within 0 faults gives [0];

    fn a_send_waits_for_room by every_search covers ["sync::mpsc::sync_channel"] {
        sent_before_receiving(sync_channel(1))
    }
    within 0 faults gives [0, 1];

    fn a_send_with_room_does_not_wait by every_search covers ["sync::mpsc::sync_channel"] {
        sent_before_receiving(sync_channel(2))
    }
    within 0 faults gives [0, 1, 2];

    /// The second message finds room if the first has been taken; the second look finds it, or nothing, or nobody.
    fn tries_to_send_and_to_receive_do_not_wait by every_search
    covers ["sync::mpsc::SyncSender::try_send", "sync::mpsc::Receiver::{recv, try_recv}"] {
        let (sender, receiver) = sync_channel(1);
        let other = thread::spawn(move || [1, 2].map(|n| sender.try_send(n)));
        let (first, second) = (receiver.recv(), receiver.try_recv());
        let [one, two] = other.join().unwrap();
        assert_eq!((one, first), (Ok(()), Ok(1)));
        (two == Err(TrySendError::Full(2)), second == Err(TryRecvError::Disconnected), second.ok())
    }
    within 0 faults gives [(true, false, None), (true, true, None), (false, false, None), (false, false, Some(2))];

    fn a_try_to_receive_finds_what_is_there by every_search covers ["sync::mpsc::Receiver::try_recv"] {
        let (sender, receiver) = channel();
        let other = thread::spawn(move || sender.send(1).unwrap());
        let looks = [receiver.try_recv(), receiver.try_recv()];
        other.join().unwrap();
        looks.map(|look| match look {
            Ok(message) => message,
            Err(TryRecvError::Empty) => 0,
            Err(TryRecvError::Disconnected) => 9,
        })
    }
    within 0 faults gives [[0, 0], [0, 1], [1, 0], [1, 9]];

    /// A try on a channel without room must find the receiver waiting.
    fn a_try_to_send_needs_a_receiver_that_waits by every_search covers ["sync::mpsc::SyncSender::try_send"] {
        let (sender, receiver) = sync_channel(0);
        let other = thread::spawn(move || sender.try_send(1).is_ok());
        let received = receiver.recv().ok();
        (other.join().unwrap(), received)
    }
    within 0 faults gives [(true, Some(1)), (false, None)];

    fn a_try_to_send_says_why_it_fails by every_search covers ["sync::mpsc::SyncSender::try_send"] {
        let (sender, receiver) = sync_channel(1);
        let other = thread::spawn(move || [1, 2].map(|n| sender.try_send(n)));
        drop(receiver);
        let text = |result| match result {
            Ok(()) => "sent",
            Err(TrySendError::Full(_)) => "full",
            Err(TrySendError::Disconnected(_)) => "gone",
        };
        other.join().unwrap().map(text)
    }
    within 0 faults gives [["gone", "gone"], ["sent", "gone"], ["sent", "full"]];

    /// Without a fault no time passes as long as the message can come.
    fn a_message_comes_before_the_timeout by every_search covers ["sync::mpsc::Receiver::recv_timeout"] {
        let (sender, receiver) = channel();
        let other = thread::spawn(move || {
            sender.send(1).unwrap();
            sender
        });
        let start = Instant::now();
        let received = receiver.recv_timeout(10 * MS);
        let result = (received == Err(RecvTimeoutError::Timeout), received.ok(), start.elapsed());
        drop(other.join().unwrap());
        result
    }
    within 0 faults gives [(false, Some(1), ZERO)];
    within 1 faults gives [(false, Some(1), ZERO), (true, None, 10 * MS)];

    /// The other task waits for this one, so that time passes for want of anything else; then the message comes.
    fn a_receive_times_out_when_nothing_comes by every_search covers ["sync::mpsc::Receiver::recv_timeout"] {
        let (asks, asked) = channel();
        let (sender, receiver) = channel();
        let other = thread::spawn(move || {
            asked.recv().unwrap();
            sender.send(1).unwrap();
        });
        let start = Instant::now();
        let first = (receiver.recv_timeout(10 * MS), start.elapsed());
        asks.send(()).unwrap();
        let second = (receiver.recv_timeout(10 * MS), start.elapsed());
        let third = (receiver.recv_timeout(10 * MS), start.elapsed());
        other.join().unwrap();
        assert_eq!(third.0, Err(RecvTimeoutError::Disconnected));
        (first.0 == Err(RecvTimeoutError::Timeout), first.1, second.0.ok(), second.1, third.1)
    }
    within 0 faults gives [(true, 10 * MS, Some(1), 10 * MS, 10 * MS)];

    /// Without room the sender knows that its message was taken, or that it was not and nobody will.
    fn a_message_without_room_is_taken_or_refused by every_search
    covers ["sync::mpsc::SyncSender::send", "sync::mpsc::Receiver::{try_recv, recv_timeout}"] {
        [0, 1].map(|kind| {
            let (sender, receiver) = sync_channel(0);
            let other = thread::spawn(move || sender.send(1).is_ok());
            let received = if kind == 0 { receiver.try_recv().ok() } else { receiver.recv_timeout(10 * MS).ok() };
            drop(receiver);
            (received, other.join().unwrap())
        })
    }
    within 0 faults gives [[(Some(1), true), (Some(1), true)], [(None, false), (Some(1), true)]];
    within 1 faults gives [(Some(1), true), (None, false)].into_iter().flat_map(|first| {
        [(Some(1), true), (None, false)].map(|second| [first, second])
    });

    /// It ends when every sender is gone, and not before.
    fn iterating_waits_for_every_message by every_search
    covers ["sync::mpsc::Receiver::iter", "sync::mpsc::Iter"] {
        let (sender, receiver) = channel();
        let senders = [(sender.clone(), 1), (sender, 2)];
        let tasks = senders.map(|(sender, n)| thread::spawn(move || sender.send(n).unwrap()));
        let messages: Iter<'_, u32> = receiver.iter();
        let received: Vec<u32> = messages.collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        received
    }
    within 0 faults gives [vec![1, 2], vec![2, 1]];

    /// One iterator takes what is there, the other one what is left.
    fn iterating_by_tries_takes_what_is_there by every_search
    covers ["sync::mpsc::Receiver::try_iter", "sync::mpsc::{TryIter, IntoIter}"] {
        let (sender, receiver) = channel();
        let other = thread::spawn(move || [1, 2].map(|n| sender.send(n).unwrap()));
        let messages: TryIter<'_, u32> = receiver.try_iter();
        let there: Vec<u32> = messages.collect();
        let rest: IntoIter<u32> = receiver.into_iter();
        let rest: Vec<u32> = rest.collect();
        other.join().unwrap();
        (there, rest)
    }
    within 0 faults gives [(vec![], vec![1, 2]), (vec![1], vec![2]), (vec![1, 2], vec![])];
}
