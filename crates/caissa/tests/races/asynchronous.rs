//! Edges of async tasks.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};

use caissa::cell::RefCell;
use caissa::future::sync::{Mutex, Notify, Semaphore, mpsc, oneshot};
use caissa::future::{block_on, spawn, spawn_local};

use crate::support::racing::{Data, is_silent, races};

#[test]
fn a_task_comes_after_its_spawn_and_before_who_awaits_its_end() {
    let program = |awaited: bool| {
        move || {
            block_on(async move {
                let data = Arc::new(Data::default());
                let other = {
                    let data = Arc::clone(&data);
                    spawn(async move { data.set(1) })
                };
                if awaited {
                    other.await.unwrap();
                    data.get();
                } else {
                    data.get();
                    other.await.unwrap();
                }
            });
        }
    };
    is_silent(program(true));
    races(program(false));
}

#[test]
fn a_notification_orders_who_notifies_before_who_waits() {
    let notified = |early: bool| {
        move || {
            block_on(async move {
                let shared = Arc::new((Data::default(), Notify::new()));
                let other = {
                    let shared = Arc::clone(&shared);
                    spawn(async move {
                        if early {
                            shared.0.set(1);
                        }
                        shared.1.notify_one();
                        if !early {
                            shared.0.set(1);
                        }
                    })
                };
                shared.1.notified().await;
                shared.0.get();
                other.await.unwrap();
            });
        }
    };
    is_silent(notified(true));
    races(notified(false));
}

#[test]
fn a_waker_hands_on_what_was_done_before_it_was_used() {
    #[derive(Default)]
    struct Slot {
        data: Data,
        waker: std::sync::Mutex<Option<Waker>>,
    }
    let program = |early: bool| {
        move || {
            let slot = Arc::new(Slot::default());
            let (kept, keeps) = caissa::sync::mpsc::channel();
            let other = {
                let slot = Arc::clone(&slot);
                caissa::thread::spawn(move || {
                    let () = keeps.recv().unwrap();
                    let waker = slot.waker.lock().unwrap().take().unwrap();
                    if early {
                        slot.data.set(1);
                    }
                    waker.wake();
                    if !early {
                        slot.data.set(1);
                    }
                })
            };
            let mut polled = false;
            block_on(poll_fn(|context| {
                if polled {
                    return Poll::Ready(());
                }
                polled = true;
                *slot.waker.lock().unwrap() = Some(context.waker().clone());
                kept.send(()).unwrap();
                Poll::Pending
            }));
            slot.data.get();
            other.join().unwrap();
        }
    };
    is_silent(program(true));
    races(program(false));
}

#[test]
fn an_async_lock_orders_those_who_hold_it() {
    let program = |locked: bool| {
        move || {
            block_on(async move {
                let shared = Arc::new((Data::default(), Mutex::new(())));
                let others = [0, 1].map(|_| {
                    let shared = Arc::clone(&shared);
                    spawn(async move {
                        let held = shared.1.lock().await;
                        if !locked {
                            drop(held);
                            shared.0.set(1);
                        } else {
                            shared.0.set(1);
                            drop(held);
                        }
                    })
                });
                for other in others {
                    other.await.unwrap();
                }
            });
        }
    };
    is_silent(program(true));
    races(program(false));
}

#[test]
fn permits_and_messages_order_who_gives_before_who_gets() {
    is_silent(|| {
        block_on(async {
            let shared = Arc::new((Data::default(), Semaphore::new(1)));
            let others = [0, 1].map(|_| {
                let shared = Arc::clone(&shared);
                spawn(async move {
                    let _permit = shared.1.acquire().await.unwrap();
                    shared.0.set(1);
                })
            });
            for other in others {
                other.await.unwrap();
            }
        });
    });
    is_silent(|| {
        block_on(async {
            let data = Arc::new([Data::default(), Data::default()]);
            let (sender, mut receiver) = mpsc::channel(1);
            let (one, other) = oneshot::channel();
            let writer = {
                let data = Arc::clone(&data);
                spawn(async move {
                    data[0].set(1);
                    sender.send(()).await.unwrap();
                    data[1].set(1);
                    one.send(()).unwrap();
                })
            };
            receiver.recv().await.unwrap();
            data[0].get();
            other.await.unwrap();
            data[1].get();
            writer.await.unwrap();
        });
    });
    races(|| {
        block_on(async {
            let data = Arc::new(Data::default());
            let (sender, mut receiver) = mpsc::channel(1);
            let writer = {
                let data = Arc::clone(&data);
                spawn(async move {
                    sender.send(()).await.unwrap();
                    data.set(1);
                })
            };
            receiver.recv().await.unwrap();
            data.get();
            writer.await.unwrap();
        });
    });
}

#[test]
fn local_tasks_share_a_thread() {
    is_silent(|| {
        block_on(async {
            let list = Rc::new(RefCell::new(Vec::new()));
            let others = [0, 1].map(|number| {
                let list = Rc::clone(&list);
                spawn_local(async move {
                    list.borrow_mut().push(number);
                    caissa::future::yield_now().await;
                    list.borrow_mut().push(number);
                })
            });
            list.borrow_mut().push(2);
            for other in others {
                other.await.unwrap();
            }
            assert_eq!(list.borrow().len(), 5);
        });
    });
}
