//! Channels of `future::sync`: as tokio's, outside a check and inside.

use crate::support::like_tokio::polled;

// ---- oneshot ----

like_tokio! { a_oneshot_gives_its_message -> (i32, bool, bool) {
    let (sender, mut receiver) = sync::oneshot::channel();
    let empty = receiver.try_recv() == Err(sync::oneshot::error::TryRecvError::Empty);
    let closed = sender.is_closed();
    sender.send(3).unwrap();
    (block_on(receiver).unwrap(), empty, closed)
} }

like_tokio! { a_oneshot_without_sender_or_receiver_is_closed -> (bool, bool, bool, Result<(), i32>, bool) {
    let (sender, mut receiver) = sync::oneshot::channel::<i32>();
    let mut waits = polled(async { (&mut receiver).await });
    assert!(waits.is_pending());
    drop(sender);
    let gone = waits.poll().unwrap().is_err();
    drop(waits);
    let (mut sender, receiver) = sync::oneshot::channel::<i32>();
    let open = polled(sender.closed()).is_pending();
    drop(receiver);
    let closed = polled(sender.closed()).poll().is_some();
    let refused = sender.send(1);
    let (sender, mut receiver) = sync::oneshot::channel::<i32>();
    sender.send(1).unwrap();
    receiver.close();
    (gone, open, closed, refused, receiver.try_recv() == Ok(1))
} }

// ---- mpsc ----

like_tokio! { a_channel_has_room_for_so_many -> (Vec<bool>, Vec<usize>) {
    let (sender, mut receiver) = sync::mpsc::channel(2);
    let mut room = vec![sender.capacity(), sender.max_capacity()];
    sender.try_send(1).unwrap();
    let permit = polled(sender.reserve()).poll().unwrap().unwrap();
    room.push(sender.capacity());
    let mut seen = vec![matches!(sender.try_send(9), Err(sync::mpsc::error::TrySendError::Full(9)))];
    let mut waits = polled(sender.send(3));
    seen.push(waits.is_pending());
    seen.push(receiver.try_recv() == Ok(1));
    // Its room belongs to who waits.
    seen.push(sender.try_reserve().is_err());
    seen.push(waits.poll().is_some());
    permit.send(2);
    room.push(receiver.len());
    seen.push(block_on(receiver.recv()) == Some(3) && block_on(receiver.recv()) == Some(2));
    seen.push(receiver.is_empty());
    (seen, room)
} }

like_tokio! { a_dropped_send_or_permit_gives_its_room_on -> Vec<bool> {
    let (sender, mut receiver) = sync::mpsc::channel(1);
    let permit = sender.try_reserve().unwrap();
    let mut first = polled(sender.send(1));
    let mut second = polled(sender.send(2));
    let mut seen = vec![first.is_pending(), second.is_pending()];
    drop(permit);
    drop(first);
    seen.push(second.poll().is_some());
    seen.push(receiver.try_recv() == Ok(2));
    seen.push(receiver.try_recv() == Err(sync::mpsc::error::TryRecvError::Empty));
    seen.push(sender.capacity() == 1);
    seen
} }

like_tokio! { a_closed_channel_gives_what_was_sent_and_what_was_reserved -> Vec<Option<i32>> {
    let (sender, mut receiver) = sync::mpsc::channel(3);
    sender.try_send(1).unwrap();
    let permit = sender.try_reserve().unwrap();
    let unused = sender.try_reserve().unwrap();
    let mut waits = polled(sender.send(8));
    assert!(waits.is_pending());
    receiver.close();
    assert!(waits.poll().unwrap().is_err() && sender.is_closed());
    assert!(polled(sender.send(9)).poll().unwrap().is_err());
    let mut seen = vec![polled(receiver.recv()).poll().flatten()];
    assert!(polled(receiver.recv()).is_pending());
    permit.send(2);
    seen.push(polled(receiver.recv()).poll().flatten());
    assert!(polled(receiver.recv()).is_pending());
    drop(unused);
    seen.push(polled(receiver.recv()).poll().flatten());
    assert!(polled(receiver.recv()).poll().is_some());
    seen
} }

like_tokio! { the_last_sender_disconnects -> Vec<Option<i32>> {
    let (sender, mut receiver) = sync::mpsc::unbounded_channel();
    let other = sender.clone();
    let weak = sender.downgrade();
    sender.send(1).unwrap();
    drop(sender);
    weak.upgrade().unwrap().send(2).unwrap();
    assert!(other.same_channel(&other.clone()));
    drop(other);
    assert!(weak.upgrade().is_none());
    vec![receiver.blocking_recv(), receiver.blocking_recv(), receiver.blocking_recv()]
} }

like_tokio! { the_receiver_disconnects -> (bool, bool, bool) {
    let (sender, receiver) = sync::mpsc::channel(1);
    let mut waits = polled(sender.closed());
    let open = waits.is_pending();
    drop(receiver);
    (open, waits.poll().is_some(), sender.blocking_send(1).is_err())
} }

like_tokio! { messages_of_one_sender_come_in_order -> Vec<i32> {
    let (sender, mut receiver) = sync::mpsc::channel(1);
    let task = spawn(async move {
        for message in 0..3 {
            sender.send(message).await.unwrap();
        }
    });
    let mut got = Vec::new();
    block_on(async {
        while let Some(message) = receiver.recv().await {
            got.push(message);
        }
        task.await.unwrap();
    });
    got
} }

like_tokio! { many_are_received_at_once -> (Vec<i32>, Vec<usize>) {
    let (sender, mut receiver) = sync::mpsc::channel(4);
    for message in 0..4 {
        sender.try_send(message).unwrap();
    }
    drop(sender);
    let (mut got, mut counts) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        counts.push(block_on(receiver.recv_many(&mut got, 3)));
    }
    (got, counts)
} }

like_tokio! { owned_room_brings_its_sender_back -> (Option<i32>, usize) {
    let (sender, mut receiver) = sync::mpsc::channel(1);
    let sender = block_on(sender.reserve_owned()).unwrap().send(1);
    assert!(sender.clone().try_reserve_owned().is_err());
    let got = receiver.blocking_recv();
    let sender = sender.try_reserve_owned().unwrap().release();
    (got, sender.capacity())
} }

// ---- broadcast ----

like_tokio! { every_receiver_gets_every_message -> (Vec<i32>, Vec<i32>, usize) {
    let (sender, mut one) = sync::broadcast::channel(4);
    sender.send(1).unwrap();
    let mut two = sender.subscribe();
    let reached = sender.send(2).unwrap();
    let ones = vec![block_on(one.recv()).unwrap(), one.try_recv().unwrap()];
    (ones, vec![two.blocking_recv().unwrap()], reached)
} }

like_tokio! { a_receiver_that_lags_is_told_how_much_it_has_missed -> Vec<Result<i32, String>> {
    use sync::broadcast::error::TryRecvError;
    // Room for three is rounded up to four.
    let (sender, mut receiver) = sync::broadcast::channel(3);
    for message in 0..6 {
        sender.send(message).unwrap();
    }
    assert_eq!(receiver.len(), 6);
    (0..6)
        .map(|_| {
            receiver.try_recv().map_err(|error| match error {
                TryRecvError::Lagged(missed) => format!("missed {missed}"),
                other => format!("{other:?}"),
            })
        })
        .collect()
} }

like_tokio! { a_broadcast_closes_when_its_senders_are_gone -> (Vec<String>, bool, usize) {
    let (sender, mut receiver) = sync::broadcast::channel(2);
    sender.send(1).unwrap();
    assert_eq!(sender.len(), 1);
    let mut late = receiver.resubscribe();
    drop(sender);
    let seen = vec![
        format!("{:?}", block_on(receiver.recv())),
        format!("{:?}", block_on(receiver.recv())),
        format!("{:?}", block_on(late.recv())),
    ];
    let (sender, receiver) = sync::broadcast::channel::<i32>(2);
    drop(receiver);
    let refused = sender.send(1).is_err();
    (seen, refused, sender.receiver_count())
} }

// ---- watch ----

like_tokio! { a_watch_shows_the_last_value -> (Vec<i32>, Vec<bool>) {
    let (sender, mut receiver) = sync::watch::channel(0);
    let mut values = vec![*receiver.borrow()];
    let mut seen = vec![receiver.has_changed().unwrap()];
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    seen.extend([receiver.has_changed().unwrap(), receiver.borrow().has_changed()]);
    seen.push(polled(receiver.changed()).poll().is_some());
    seen.push(polled(receiver.changed()).is_pending());
    values.push(*receiver.borrow_and_update());
    values.push(sender.send_replace(3));
    sender.send_modify(|value| *value += 1);
    seen.push(sender.send_if_modified(|_| false));
    seen.push(receiver.has_changed().unwrap());
    values.push(*receiver.borrow_and_update());
    seen.push(receiver.has_changed().unwrap());
    seen.push(sender.send_if_modified(|value| { *value = 9; true }));
    receiver.mark_unchanged();
    seen.push(receiver.has_changed().unwrap());
    receiver.mark_changed();
    seen.push(receiver.has_changed().unwrap());
    values.push(*sender.borrow());
    (values, seen)
} }

like_tokio! { a_watch_ends_with_its_senders_or_receivers -> Vec<bool> {
    let (sender, mut receiver) = sync::watch::channel(0);
    sender.send(1).unwrap();
    drop(sender);
    let mut seen = vec![receiver.has_changed().is_err()];
    // The last value is still told.
    seen.push(block_on(receiver.changed()).is_ok());
    seen.push(block_on(receiver.changed()).is_err());
    let (sender, receiver) = sync::watch::channel(0);
    let mut closed = polled(sender.closed());
    seen.push(closed.is_pending());
    drop(receiver);
    seen.extend([closed.poll().is_some(), sender.is_closed(), sender.send(1).is_err()]);
    let receiver = sender.subscribe();
    seen.push(sender.receiver_count() == 1 && *receiver.borrow() == 0);
    seen
} }

like_tokio! { wait_for_waits_for_a_condition -> (i32, bool, bool) {
    let (sender, mut receiver) = sync::watch::channel(1);
    let now = *block_on(receiver.wait_for(|value| *value == 1)).unwrap();
    let task = spawn(async move {
        for value in 2..4 {
            sender.send(value).unwrap();
        }
    });
    let then = block_on(receiver.wait_for(|value| *value == 3)).is_ok();
    block_on(task).unwrap();
    (now, then, block_on(receiver.wait_for(|value| *value == 9)).is_err())
} }
