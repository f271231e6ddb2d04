//! Edges by channels.

use std::sync::Arc;

use caissa::sync::mpsc::{channel, sync_channel};
use caissa::thread;

use crate::support::racing::{Data, is_silent, races};

#[test]
fn a_message_orders_its_sender_before_its_receiver() {
    let program = |late: bool| {
        move || {
            let data = Arc::new(Data::default());
            let (sender, receiver) = channel();
            let other = {
                let data = Arc::clone(&data);
                thread::spawn(move || {
                    if !late {
                        data.set(1);
                    }
                    sender.send(()).unwrap();
                    if late {
                        data.set(1);
                    }
                })
            };
            receiver.recv().unwrap();
            data.get();
            other.join().unwrap();
        }
    };
    is_silent(program(false));
    races(program(true));
}

#[test]
fn two_senders_are_not_ordered_by_each_other() {
    let program = |same: bool| {
        move || {
            let data = Arc::new([Data::default(), Data::default()]);
            let (sender, receiver) = channel();
            let others = [0, 1].map(|number| {
                let (data, sender) = (Arc::clone(&data), sender.clone());
                thread::spawn(move || {
                    data[number].set(1);
                    sender.send(number).unwrap();
                })
            });
            let first = receiver.recv().unwrap();
            data[if same { first } else { 1 - first }].get();
            for other in others {
                other.join().unwrap();
            }
        }
    };
    is_silent(program(true));
    races(program(false));
    // The second sender has seen the first one's message go by, and no more.
    races(|| {
        let data = Arc::new(Data::default());
        let (sender, receiver) = channel();
        let others = [0, 1].map(|number| {
            let (data, sender) = (Arc::clone(&data), sender.clone());
            thread::spawn(move || {
                if number == 1 {
                    sender.send(number).unwrap();
                }
                data.set(1);
                if number == 0 {
                    sender.send(number).unwrap();
                }
            })
        });
        for other in others {
            other.join().unwrap();
        }
        drop(receiver);
    });
}

#[test]
fn room_in_a_bounded_channel_orders_its_receiver_before_the_next_sender() {
    // A channel with room for one message is a lock: who has put it in holds it.
    let program = |room: usize| {
        move || {
            let data = Arc::new(Data::default());
            let (sender, receiver) = sync_channel(room);
            let receiver = Arc::new(caissa::sync::Mutex::new(receiver));
            let others = [0, 1].map(|_| {
                let (data, sender, receiver) = (Arc::clone(&data), sender.clone(), Arc::clone(&receiver));
                thread::spawn(move || {
                    sender.send(()).unwrap();
                    data.set(1);
                    receiver.lock().unwrap().recv().unwrap();
                })
            });
            for other in others {
                other.join().unwrap();
            }
        }
    };
    is_silent(program(1));
    races(program(2));
}

#[test]
fn a_rendezvous_orders_both_ways() {
    let program = |room: usize| {
        move || {
            let data = Arc::new([Data::default(), Data::default()]);
            let (sender, receiver) = sync_channel(room);
            let other = {
                let data = Arc::clone(&data);
                thread::spawn(move || {
                    data[0].set(1);
                    sender.send(()).unwrap();
                    data[1].get();
                })
            };
            data[1].set(1);
            receiver.recv().unwrap();
            data[0].get();
            other.join().unwrap();
        }
    };
    is_silent(program(0));
    races(program(1));
    // Also where the sender only tries.
    is_silent(|| {
        let data = Arc::new(Data::default());
        let (sender, receiver) = sync_channel(0);
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                if sender.try_send(()).is_ok() {
                    data.get();
                }
            })
        };
        data.set(1);
        let _ = receiver.recv();
        other.join().unwrap();
    });
}

#[test]
fn the_end_of_the_other_side_orders_what_it_did() {
    let program = |waits: bool| {
        move || {
            let data = Arc::new([Data::default(), Data::default()]);
            let (sender, receiver) = channel::<()>();
            let others = [0, 1].map(|number| {
                let (data, sender) = (Arc::clone(&data), sender.clone());
                thread::spawn(move || {
                    data[number].set(1);
                    drop(sender);
                })
            });
            drop(sender);
            if waits {
                assert!(receiver.recv().is_err());
            } else {
                assert!(receiver.try_recv().is_err());
            }
            data[0].get();
            data[1].get();
            for other in others {
                other.join().unwrap();
            }
        }
    };
    is_silent(program(true));
    races(program(false));
    is_silent(|| {
        let data = Arc::new(Data::default());
        let (sender, receiver) = channel();
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                data.set(1);
                drop(receiver);
            })
        };
        if sender.send(()).is_err() {
            data.get();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_message_that_nobody_receives_is_dropped_after_its_sender() {
    struct Message(Arc<Data>);
    impl Drop for Message {
        fn drop(&mut self) {
            self.0.set(0);
        }
    }
    let program = |late: bool| {
        move || {
            let data = Arc::new(Data::default());
            let (sender, receiver) = channel();
            let other = {
                let data = Arc::clone(&data);
                thread::spawn(move || {
                    data.set(1);
                    let sent = sender.send(Message(Arc::clone(&data)));
                    if late && sent.is_ok() {
                        data.set(2);
                    }
                })
            };
            thread::yield_now();
            drop(receiver);
            other.join().unwrap();
        }
    };
    is_silent(program(false));
    races(program(true));
}
