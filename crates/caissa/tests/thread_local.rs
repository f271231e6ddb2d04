//! `thread_local!`: a value for each task, made anew in each execution and destroyed at the task's end.

use std::cell::{Cell, RefCell};

use crate::support::types_outcomes::{assert_says, finding, outcomes};
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::mpsc;
use caissa::sync::{Arc, Mutex, MutexGuard};
use caissa::{Bug, TaskId, thread};

like_std! { cells_and_ref_cells_have_their_shorthands -> (Vec<u32>, Vec<u32>, bool) {
    thread_local! {
        /// With a constant initialiser.
        static CELL: Cell<u32> = const { Cell::new(1) };
        pub(crate) static LIST: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    }
    // A thread of its own, for this runs twice outside a check.
    let task = thread::spawn(|| {
        let mut seen = vec![CELL.get(), CELL.replace(2), CELL.take()];
        CELL.set(5);
        seen.push(CELL.with(Cell::get));
        LIST.with_borrow_mut(|list| list.push(2));
        seen.push(LIST.with_borrow(Vec::len) as u32);
        let old = LIST.replace(vec![7]);
        let new = LIST.take();
        LIST.set(vec![8]);
        let tried = LIST.try_with(|list| list.borrow().len()).is_ok();
        (seen, [old, new].concat(), tried)
    });
    task.join().unwrap()
} }

like_std! { every_thread_has_its_own -> (u32, u32, u32) {
    thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });
    fn count() -> u32 {
        COUNT.set(COUNT.get() + 1);
        COUNT.get()
    }
    let task = thread::spawn(|| {
        count();
        let other = thread::spawn(count).join().unwrap();
        (count(), other, thread::spawn(count).join().unwrap())
    });
    task.join().unwrap()
} }

like_std! { destructors_run_at_the_end_the_last_made_first -> Vec<u32> {
    struct Tells(u32, sync::mpsc::Sender<u32>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.1.send(self.0).unwrap();
        }
    }
    thread_local! {
        static ONE: RefCell<Option<Tells>> = const { RefCell::new(None) };
        static TWO: RefCell<Option<Tells>> = const { RefCell::new(None) };
        static UNUSED: Tells = panic!("made only when it is used");
    }
    let (sender, receiver) = sync::mpsc::channel();
    let task = thread::spawn(move || {
        ONE.set(Some(Tells(1, sender.clone())));
        TWO.set(Some(Tells(2, sender.clone())));
        sender.send(0).unwrap();
    });
    task.join().unwrap();
    receiver.into_iter().collect()
} }

like_std! { a_destructor_can_use_other_keys_and_not_its_own -> (bool, bool) {
    struct Looks(sync::mpsc::Sender<(bool, bool)>);
    impl Drop for Looks {
        fn drop(&mut self) {
            let own = OWN.try_with(|_| ()).is_ok();
            self.0.send((own, OTHER.try_with(Cell::get).is_ok())).unwrap();
        }
    }
    thread_local! {
        static OWN: RefCell<Option<Looks>> = const { RefCell::new(None) };
        static OTHER: Cell<u32> = const { Cell::new(0) };
    }
    let (sender, receiver) = sync::mpsc::channel();
    thread::spawn(move || OWN.set(Some(Looks(sender)))).join().unwrap();
    receiver.recv().unwrap()
} }

like_std! { names_inside_the_macro_do_not_clash -> u32 {
    fn init() -> u32 {
        5
    }
    const OUTSIDE: u32 = 6;
    thread_local! {
        static SUM: u32 = init() + OUTSIDE;
    }
    SUM.with(|sum| *sum)
} }

like_std! { an_initialiser_may_use_another_key_and_with_may_nest -> u32 {
    thread_local! {
        static BASE: u32 = const { 2 };
        static DOUBLE: u32 = BASE.with(|base| base * 2);
    }
    DOUBLE.with(|double| BASE.with(|base| DOUBLE.with(|again| double + base + again)))
} }

#[test]
fn each_execution_begins_without_values() {
    caissa::thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });
    let seen = outcomes(|| {
        let other = thread::spawn(|| COUNT.replace(COUNT.get() + 1));
        let mine = COUNT.replace(COUNT.get() + 1);
        (mine, other.join().unwrap(), COUNT.get())
    });
    assert_eq!(seen, [(0, 0, 1)].into());
    assert_eq!(COUNT.get(), 0);
}

/// The destructor's store comes before the end of the task and after everything else that it does.
#[test]
fn what_a_destructor_does_is_explored() {
    struct Stores(Arc<AtomicUsize>);
    impl Drop for Stores {
        fn drop(&mut self) {
            self.0.store(2, SeqCst);
        }
    }
    caissa::thread_local!(static STORES: RefCell<Option<Stores>> = const { RefCell::new(None) });
    let seen = outcomes(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let task = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                STORES.set(Some(Stores(Arc::clone(&value))));
                value.store(1, SeqCst);
            })
        };
        let seen = value.load(SeqCst);
        task.join().unwrap();
        (seen, value.load(SeqCst))
    });
    assert_eq!(seen, [(0, 2), (1, 2), (2, 2)].into());
}

/// A guard in a thread-local value is given back at the end of its task.
#[test]
fn a_destructor_can_unlock() {
    caissa::thread_local! {
        static HELD: RefCell<Option<MutexGuard<'static, Vec<u32>>>> = const { RefCell::new(None) };
    }
    let seen = outcomes(|| {
        let mutex: &'static Mutex<Vec<u32>> = Box::leak(Box::new(Mutex::new(Vec::new())));
        let task = thread::spawn(|| {
            HELD.set(Some(mutex.lock().unwrap()));
            HELD.with_borrow_mut(|held| held.as_mut().unwrap().push(1));
            thread::yield_now();
            HELD.with_borrow_mut(|held| held.as_mut().unwrap().push(2));
        });
        mutex.lock().unwrap().push(3);
        task.join().unwrap();
        mutex.lock().unwrap().clone()
    });
    assert_eq!(seen, [vec![1, 2, 3], vec![3, 1, 2]].into());
}

/// A sender in a thread-local value goes when its task ends; the main task's lasts as long as the closure runs.
#[test]
fn a_destructor_can_let_others_go_on_or_come_too_late() {
    caissa::thread_local! {
        static SENDER: RefCell<Option<mpsc::Sender<u32>>> = const { RefCell::new(None) };
    }
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || SENDER.set(Some(sender)));
        receiver.recv().is_err()
    });
    assert_eq!(seen, [true].into());
    let (found, text) = finding(|| {
        let (sender, receiver) = mpsc::channel();
        SENDER.set(Some(sender));
        assert!(receiver.recv().is_err());
    });
    assert!(matches!(&found.bug, Bug::Deadlock { blocked, .. } if blocked[0].task == TaskId::MAIN));
    assert_says(&text, &["which still has senders"]);
}

#[test]
fn keys_can_be_shown() {
    caissa::thread_local!(static KEY: u32 = const { 1 });
    std::thread_local!(static STDS: u32 = const { 1 });
    assert_eq!(format!("{KEY:?}"), format!("{STDS:?}"));
}
