//! Edges by locks, and by what is done once.

use std::sync::Arc;

use caissa::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use caissa::thread;

use crate::support::racing::{Data, both, is_silent, races};

#[derive(Default)]
struct Locked {
    data: Data,
    lock: Mutex<bool>,
    rw: RwLock<bool>,
    condvar: Condvar,
}

#[test]
fn a_mutex_orders_those_who_hold_it() {
    let holds = |locked: &Locked| {
        let _held = locked.lock.lock();
        locked.data.set(1);
    };
    is_silent(move || both(Locked::default(), holds, holds));
    races(move || both(Locked::default(), holds, |locked| locked.data.set(2)));
    // Given back too early.
    races(move || {
        both(Locked::default(), holds, |locked| {
            drop(locked.lock.lock());
            locked.data.get();
        });
    });
}

#[test]
fn a_try_lock_orders_only_if_it_gets_the_lock() {
    is_silent(|| {
        both(
            Locked::default(),
            |locked| {
                let _held = locked.lock.lock();
                locked.data.set(1);
            },
            |locked| {
                if let Ok(_held) = locked.lock.try_lock() {
                    locked.data.set(2);
                }
            },
        );
    });
    // That the lock is held says nothing about what its holder has done before.
    races(|| {
        both(
            Locked::default(),
            |locked| {
                locked.data.set(1);
                let _held = locked.lock.lock();
                thread::yield_now();
            },
            |locked| {
                if locked.lock.try_lock().is_err() {
                    locked.data.get();
                }
            },
        );
    });
}

#[test]
fn readers_of_a_rwlock_are_ordered_with_writers_only() {
    let writes = |locked: &Locked| {
        let _held = locked.rw.write();
        locked.data.set(1);
    };
    let reads = |locked: &Locked| {
        let _held = locked.rw.read();
        locked.data.get();
    };
    is_silent(move || both(Locked::default(), writes, reads));
    is_silent(move || both(Locked::default(), reads, reads));
    races(move || {
        both(Locked::default(), reads, |locked| {
            let _held = locked.rw.read();
            locked.data.set(2);
        });
    });
    is_silent(move || {
        both(Locked::default(), writes, |locked| {
            if let Ok(_held) = locked.rw.try_read() {
                locked.data.get();
            }
            if let Ok(_held) = locked.rw.try_write() {
                locked.data.set(3);
            }
        });
    });
    for fails in [0, 1] {
        races(move || {
            let locked = Arc::new(Locked::default());
            let other = {
                let locked = Arc::clone(&locked);
                thread::spawn(move || {
                    locked.data.set(1);
                    let _held = locked.rw.write();
                    thread::yield_now();
                })
            };
            let failed =
                if fails == 0 { locked.rw.try_read().is_err() } else { locked.rw.try_write().is_err() };
            if failed {
                locked.data.get();
            }
            other.join().unwrap();
        });
    }
}

#[test]
fn a_downgrade_lets_readers_in_after_the_writer() {
    is_silent(|| {
        both(
            Locked::default(),
            |locked| {
                let mut held = locked.rw.write().unwrap();
                *held = true;
                locked.data.set(1);
                let _held = caissa::sync::RwLockWriteGuard::downgrade(held);
                thread::yield_now();
            },
            |locked| {
                if *locked.rw.read().unwrap() {
                    assert_eq!(locked.data.get(), 1);
                }
            },
        );
    });
}

#[test]
fn a_condvar_orders_by_its_mutex() {
    let program = |locks: bool| {
        move || {
            let locked = Arc::new(Locked::default());
            let other = {
                let locked = Arc::clone(&locked);
                thread::spawn(move || {
                    if locks {
                        locked.data.set(1);
                        *locked.lock.lock().unwrap() = true;
                    } else {
                        *locked.lock.lock().unwrap() = true;
                        locked.data.set(1);
                    }
                    locked.condvar.notify_one();
                })
            };
            let mut ready = locked.lock.lock().unwrap();
            while !*ready {
                ready = locked.condvar.wait(ready).unwrap();
            }
            locked.data.get();
            drop(ready);
            other.join().unwrap();
        }
    };
    is_silent(program(true));
    races(program(false));
}

#[test]
fn looking_at_poison_orders_nothing() {
    let program = |locks: bool| {
        move || {
            let locked = Arc::new(Locked::default());
            let other = {
                let locked = Arc::clone(&locked);
                thread::spawn(move || {
                    let _held = locked.lock.lock();
                    locked.data.set(1);
                    panic!("poisons");
                })
            };
            if locked.lock.is_poisoned() {
                let _held = locks.then(|| locked.lock.lock());
                locked.data.get();
            }
            assert!(other.join().is_err());
        }
    };
    is_silent(program(true));
    races(program(false));
}

#[test]
fn all_arrivals_at_a_barrier_come_before_all_departures() {
    struct Met {
        data: [Data; 2],
        barrier: Barrier,
    }
    let meet = |number: usize| {
        move |met: &Met| {
            met.data[number].set(1);
            met.barrier.wait();
            assert_eq!(met.data[1 - number].get(), 1);
        }
    };
    let new = || Met { data: Default::default(), barrier: Barrier::new(2) };
    is_silent(move || {
        let met = Arc::new(new());
        let other = {
            let met = Arc::clone(&met);
            thread::spawn(move || meet(0)(&met))
        };
        meet(1)(&met);
        other.join().unwrap();
    });
    // What comes after one departure is not ordered with what comes after the other.
    races(move || {
        both(
            new(),
            |met| {
                met.barrier.wait();
                met.data[0].set(1);
            },
            |met| {
                met.barrier.wait();
                met.data[0].get();
            },
        );
    });
    // Nor is it when one of them has come to the barrier again.
    races(|| {
        let met = Arc::new((Data::default(), Barrier::new(2)));
        let others = [0, 1].map(|_| {
            let met = Arc::clone(&met);
            thread::spawn(move || {
                met.1.wait();
                met.0.set(1);
                met.1.wait();
            })
        });
        for other in others {
            other.join().unwrap();
        }
    });
}

#[test]
fn what_is_done_once_comes_before_all_who_see_it() {
    #[derive(Default)]
    struct Things {
        data: Data,
        lock: OnceLock<u32>,
    }
    let init = |things: &Things| {
        things.lock.get_or_init(|| {
            things.data.set(1);
            1
        });
        things.data.get();
    };
    is_silent(move || both(Things::default(), init, init));
    is_silent(move || {
        both(Things::default(), init, |things| {
            if things.lock.get().is_some() {
                things.data.get();
            }
        });
    });
    // That it has not been done says nothing.
    races(move || {
        both(Things::default(), init, |things| {
            if things.lock.get().is_none() {
                things.data.set(2);
            }
        });
    });
}

#[test]
fn a_once_and_a_lazy_lock_order_in_the_same_way() {
    let program = |sees: bool| {
        move || {
            let shared = Arc::new((Once::new(), Data::default()));
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.0.call_once(|| shared.1.set(1)))
            };
            if !sees || shared.0.is_completed() {
                shared.1.get();
            }
            other.join().unwrap();
        }
    };
    is_silent(program(true));
    races(program(false));
    is_silent(|| {
        let data = Arc::new(Data::default());
        let made = Arc::clone(&data);
        let lazy = Arc::new(LazyLock::new(move || made.set(1)));
        let other = {
            let (lazy, data) = (Arc::clone(&lazy), Arc::clone(&data));
            thread::spawn(move || {
                LazyLock::force(&lazy);
                data.get();
            })
        };
        if LazyLock::get(&lazy).is_some() {
            data.get();
        }
        other.join().unwrap();
    });
}
