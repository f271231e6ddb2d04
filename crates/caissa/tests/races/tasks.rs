//! Edges by the life of tasks: spawn, end, park, thread locals.

use std::sync::Arc;

use caissa::sync::atomic::{AtomicU32, Ordering::Relaxed};
use caissa::time::Duration;
use caissa::{Builder, Search, Verdict, thread};

use crate::support::racing::{Data, is_silent, races};

#[test]
fn a_task_comes_after_its_spawn_and_before_its_join() {
    let program = |early: bool, joined: bool| {
        move || {
            let data = Arc::new([Data::default(), Data::default()]);
            if early {
                data[0].set(1);
            }
            let other = {
                let data = Arc::clone(&data);
                thread::spawn(move || {
                    data[0].get();
                    data[1].set(1);
                })
            };
            if !early {
                data[0].set(1);
            }
            let other = if joined {
                other.join().unwrap();
                None
            } else {
                Some(other)
            };
            data[1].get();
            other.into_iter().for_each(|other| other.join().unwrap());
        }
    };
    is_silent(program(true, true));
    races(program(false, true));
    races(program(true, false));
}

#[test]
fn a_task_comes_before_those_it_has_not_spawned_too_if_they_are_joined() {
    is_silent(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                let inner = {
                    let data = Arc::clone(&data);
                    thread::spawn(move || data.set(1))
                };
                inner.join().unwrap();
            })
        };
        other.join().unwrap();
        data.set(2);
    });
    // Two tasks of one parent know nothing of each other.
    races(|| {
        let data = Arc::new(Data::default());
        let others = [0, 1].map(|_| {
            let data = Arc::clone(&data);
            thread::spawn(move || data.set(1))
        });
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn asking_whether_a_task_has_ended_orders_nothing() {
    races(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || data.set(1))
        };
        if other.is_finished() {
            data.get();
        }
        other.join().unwrap();
    });
}

#[test]
fn the_end_of_a_scope_comes_after_its_tasks() {
    let program = |early: bool| {
        move || {
            let data = Data::default();
            thread::scope(|scope| {
                scope.spawn(|| data.set(1));
                if early {
                    data.get();
                }
            });
            data.get();
        }
    };
    is_silent(program(false));
    races(program(true));
}

#[test]
fn a_token_orders_who_gives_it_before_who_takes_it() {
    let program = |late: bool| {
        move || {
            let data = Arc::new(Data::default());
            let main = thread::current();
            let others = [0, 1].map(|number| {
                let (data, main) = (Arc::clone(&data), main.clone());
                thread::spawn(move || {
                    if number == 0 {
                        if !late {
                            data.set(1);
                        }
                        main.unpark();
                        if late {
                            data.set(1);
                        }
                    }
                })
            });
            thread::park();
            data.get();
            others.into_iter().for_each(|other| other.join().unwrap());
        }
    };
    // Without faults a park ends by a token only.
    let report = Builder::new().search(Search::Dfs).faults(0).explore(program(false)).unwrap();
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    races(program(true));
    // A park that ends by itself orders nothing.
    races(program(false));
}

#[test]
fn all_who_have_given_one_token_come_before() {
    let program = |given: u32| {
        move || {
            let shared = Arc::new(([Data::default(), Data::default()], AtomicU32::new(0)));
            let main = thread::current();
            let others = [0, 1].map(|number| {
                let (shared, main) = (Arc::clone(&shared), main.clone());
                thread::spawn(move || {
                    shared.0[number].set(1);
                    main.unpark();
                    shared.1.fetch_add(1, Relaxed);
                })
            });
            if shared.1.load(Relaxed) == given {
                thread::park();
                shared.0[0].get();
                shared.0[1].get();
            }
            others.into_iter().for_each(|other| other.join().unwrap());
        }
    };
    // Without faults a park ends by a token only.
    let report = Builder::new().search(Search::Dfs).faults(0).explore(program(2)).unwrap();
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    races(program(1));
}

#[test]
fn time_orders_nothing() {
    races(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || data.set(1))
        };
        thread::sleep(Duration::from_millis(10));
        data.get();
        other.join().unwrap();
    });
}

#[test]
fn destructors_of_thread_locals_come_before_the_join() {
    struct AtEnd(Arc<Data>);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            self.0.set(1);
        }
    }
    caissa::thread_local! {
        static LOCAL: caissa::cell::RefCell<Option<AtEnd>> = const { caissa::cell::RefCell::new(None) };
    }
    let program = |joined: bool| {
        move || {
            let data = Arc::new(Data::default());
            let other = {
                let data = Arc::clone(&data);
                thread::spawn(move || {
                    LOCAL.with_borrow_mut(|local| *local = Some(AtEnd(data)));
                    thread::yield_now();
                })
            };
            let other = if joined {
                other.join().unwrap();
                None
            } else {
                Some(other)
            };
            data.get();
            other.into_iter().for_each(|other| other.join().unwrap());
        }
    };
    is_silent(program(true));
    races(program(false));
}
