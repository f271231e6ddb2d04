//! `thread`: tasks, scopes, parking and thread-local values.
#![allow(deprecated)]

use std::cell::{Cell, RefCell};

use caissa::sync::atomic::{AtomicU32, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::thread::{
    self, AccessError, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId,
};
use caissa::time::Instant;

use crate::std_contention::{MS, ZERO, contend};

programs! {
    /// The task does something and ends; once it is seen to have ended, and after the join, that has been done.
    fn join_waits_for_the_end by every_search
    covers ["thread::spawn", "thread::JoinHandle", "thread::JoinHandle::{join, is_finished}"] {
        let value = Arc::new(AtomicU32::new(0));
        let task: JoinHandle<u32> = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                value.store(1, SeqCst);
                7
            })
        };
        let (finished, seen) = (task.is_finished(), value.load(SeqCst));
        (finished, seen, task.join().unwrap(), value.load(SeqCst))
    }
    within 0 faults gives [(false, 0, 7, 1), (false, 1, 7, 1), (true, 1, 7, 1)];

    fn join_returns_a_panic by every_search covers ["thread::JoinHandle::{join, is_finished}"] {
        let task: JoinHandle<()> = thread::spawn(|| panic!("an end of its own"));
        (task.is_finished(), task.join().unwrap_err().downcast_ref::<&str>().copied())
    }
    within 0 faults gives [(false, Some("an end of its own")), (true, Some("an end of its own"))];

    /// It would be parked for ever if the handle were not that of its task.
    fn a_handle_knows_its_task by every_search
    covers ["thread::JoinHandle::thread", "thread::Thread::{unpark, id}", "thread::park"] {
        let task = thread::spawn(|| {
            thread::park();
            thread::current().id()
        });
        task.thread().unpark();
        let id = task.thread().id();
        (id == task.join().unwrap(), id == thread::current().id())
    }
    within 0 faults gives [(true, false)];

    fn a_scope_waits_for_its_tasks by every_search covers ["thread::scope", "thread::Scope", "thread::Scope::spawn"] {
        fn count<'scope>(scope: &'scope Scope<'scope, '_>, count: &'scope AtomicU32) {
            scope.spawn(|| count.fetch_add(1, SeqCst));
        }
        let counter = AtomicU32::new(0);
        let seen = thread::scope(|scope| {
            count(scope, &counter);
            count(scope, &counter);
            counter.load(SeqCst)
        });
        (seen, counter.load(SeqCst))
    }
    within 0 faults gives [(0, 2), (1, 2), (2, 2)];

    fn join_waits_for_the_end_of_a_scoped_task by every_search
    covers ["thread::ScopedJoinHandle", "thread::ScopedJoinHandle::{join, is_finished}"] {
        let value = AtomicU32::new(0);
        thread::scope(|scope| {
            let task: ScopedJoinHandle<'_, u32> = scope.spawn(|| {
                value.store(1, SeqCst);
                7
            });
            let (finished, seen) = (task.is_finished(), value.load(SeqCst));
            (finished, seen, task.join().unwrap(), value.load(SeqCst))
        })
    }
    within 0 faults gives [(false, 0, 7, 1), (false, 1, 7, 1), (true, 1, 7, 1)];

    fn a_scoped_handle_knows_its_task by every_search covers ["thread::ScopedJoinHandle::thread", "thread::Thread::unpark"] {
        thread::scope(|scope| {
            let task = scope.spawn(|| {
                thread::park();
                thread::current().id()
            });
            task.thread().unpark();
            let id = task.thread().id();
            (id == task.join().unwrap(), id == thread::current().id())
        })
    }
    within 0 faults gives [(true, false)];

    /// The token is there when the task comes to park, or comes while it is parked; without one it goes on by a fault only.
    fn park_waits_for_the_token by every_search
    covers ["thread::{park, current}", "thread::Thread", "thread::Thread::unpark"] {
        let value = Arc::new(AtomicU32::new(0));
        let parked: Thread = thread::current();
        let other = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                value.store(1, SeqCst);
                parked.unpark();
                value.store(2, SeqCst);
            })
        };
        let before = value.load(SeqCst);
        thread::park();
        let after = value.load(SeqCst);
        other.join().unwrap();
        (before, after)
    }
    within 0 faults gives [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    within 1 faults gives [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

    /// Two tokens that come before the first park are one: the second park then has to time out.
    fn tokens_do_not_add_up by every_search covers ["thread::park_timeout", "thread::Thread::unpark"] {
        let (parked, start) = (thread::current(), Instant::now());
        let other = thread::spawn(move || {
            parked.unpark();
            parked.unpark();
        });
        let times = [(); 2].map(|()| {
            thread::park_timeout(10 * MS);
            start.elapsed()
        });
        other.join().unwrap();
        times
    }
    within 0 faults gives [[ZERO; 2], [ZERO, 10 * MS]];

    /// One token for two parks. By a fault the first one times out, or one of both ends for no reason.
    fn a_park_without_token_times_out by every_search covers ["thread::park_timeout_ms"] {
        let (parked, start) = (thread::current(), Instant::now());
        let other = thread::spawn(move || parked.unpark());
        let times = [(); 2].map(|()| {
            thread::park_timeout_ms(10);
            start.elapsed()
        });
        other.join().unwrap();
        times
    }
    within 0 faults gives [[ZERO, 10 * MS]];
    within 1 faults gives [[ZERO, 10 * MS], [10 * MS; 2], [ZERO; 2]];

    /// Another task comes before, between or after.
    fn a_yield_lets_others_go_on by dfs covers ["thread::yield_now"] {
        let (_, seen, ()) = contend(
            AtomicU32::new(0),
            |number| {
                [(); 2].map(|()| {
                    thread::yield_now();
                    // SAFETY: all tasks run on one OS thread. No point lies here, so only the yields are one.
                    unsafe { *number.as_ptr() }
                })
            },
            |number| number.store(1, SeqCst),
        );
        seen
    }
    within 0 faults gives [[0, 0], [0, 1], [1, 1]];

    /// Each knows whether it was the first.
    fn tasks_tell_themselves_apart by every_search
    covers ["thread::current", "thread::Thread::id", "thread::ThreadId"] {
        fn claim(owner: &Mutex<Option<ThreadId>>) -> ThreadId {
            let me = thread::current().id();
            owner.lock().unwrap().get_or_insert(me);
            me
        }
        let (owner, mine, theirs) = contend(Mutex::new(None), claim, claim);
        let first = owner.into_inner().unwrap().unwrap();
        (first == mine, first == theirs, mine == theirs)
    }
    within 0 faults gives [(true, false, false), (false, true, false)];

    /// The size of the stack is that of the check: one byte would not do.
    fn tasks_have_names by every_search
    covers ["thread::Builder", "thread::Builder::{new, name, stack_size, spawn}", "thread::Thread::name"] {
        let log = Arc::new(Mutex::new(Vec::new()));
        let tasks = ["a", "b"].map(|name| {
            let log = Arc::clone(&log);
            let task = Builder::new().name(name.to_owned()).stack_size(1).spawn(move || {
                std::hint::black_box([0u8; 32_768]);
                log.lock().unwrap().push(thread::current().name().unwrap().to_owned());
            });
            task.unwrap()
        });
        let names = [0, 1].map(|n| tasks[n].thread().name().unwrap().to_owned());
        tasks.into_iter().for_each(|task| task.join().unwrap());
        (names.join(""), log.lock().unwrap().concat(), thread::current().name().unwrap().to_owned())
    }
    within 0 faults gives [["ab", "ab", "main"], ["ab", "ba", "main"]].map(|names| names.map(str::to_owned).into());

    fn named_tasks_borrow by every_search covers ["thread::Builder::spawn_scoped"] {
        let counter = AtomicU32::new(0);
        thread::scope(|scope| {
            let named = |name: &str| Builder::new().name(name.to_owned());
            let tasks = ["a", "b"].map(|name| {
                let task = named(name).spawn_scoped(scope, || {
                    (counter.fetch_add(1, SeqCst), thread::current().name().map(str::to_owned))
                });
                task.unwrap()
            });
            tasks.map(|task| task.join().unwrap())
        })
    }
    within 0 faults gives [[0, 1], [1, 0]].map(|seen| [(seen[0], Some("a".to_owned())), (seen[1], Some("b".to_owned()))]);

    fn tasks_borrow_unchecked by every_search covers ["thread::Builder::spawn_unchecked"] {
        let counter = AtomicU32::new(0);
        let add_one = || (counter.fetch_add(1, SeqCst), thread::current().name() == Some("borrows"));
        let named = Builder::new().name("borrows".to_owned());
        // SAFETY: the task is joined before the counter goes.
        let task = unsafe { named.spawn_unchecked(add_one) }.unwrap();
        let mine = add_one();
        (mine, task.join().unwrap(), counter.load(SeqCst))
    }
    within 0 faults gives [((0, false), (1, true), 2), ((1, false), (0, true), 2)];

    fn as_many_tasks_as_can_run by every_search covers ["thread::available_parallelism"] {
        let counter = AtomicU32::new(0);
        thread::scope(|scope| {
            let count = thread::available_parallelism().unwrap().get();
            let tasks: Vec<_> = (0..count).map(|_| scope.spawn(|| counter.fetch_add(1, SeqCst))).collect();
            tasks.into_iter().map(|task| task.join().unwrap()).collect::<Vec<_>>()
        })
    }
    within 0 faults gives [vec![0, 1], vec![1, 0]];

    /// Whatever the other task does with its value, this one has its own.
    fn every_task_has_its_own_cell by every_search
    covers ["thread_local", "thread::LocalKey", "thread::LocalKey::{with, try_with, set, get, take, replace}"] {
        caissa::thread_local!(static CELL: Cell<u32> = const { Cell::new(1) });
        fn uses(n: u32) -> Vec<u32> {
            let cell: &'static LocalKey<Cell<u32>> = &CELL;
            let mut seen = vec![cell.get(), cell.replace(n)];
            thread::yield_now();
            seen.push(cell.with(Cell::get));
            cell.set(n + 1);
            thread::yield_now();
            seen.push(cell.take());
            thread::yield_now();
            seen.push(cell.try_with(Cell::get).unwrap());
            seen
        }
        let ((), mine, theirs) = contend((), |()| uses(10), |()| uses(20));
        (mine, theirs, CELL.get())
    }
    within 0 faults gives [(vec![1, 1, 10, 11, 0], vec![1, 1, 20, 21, 0], 0)];

    fn every_task_has_its_own_list by every_search
    covers ["thread_local", "thread::LocalKey::{with_borrow, with_borrow_mut, set, take, replace}"] {
        caissa::thread_local!(static LIST: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) });
        fn uses(n: u32) -> Vec<u32> {
            LIST.with_borrow_mut(|list| list.push(n));
            thread::yield_now();
            let mut seen = LIST.with_borrow(Vec::clone);
            seen.extend(LIST.replace(vec![n + 1]));
            thread::yield_now();
            seen.extend(LIST.take());
            LIST.set(vec![n + 2]);
            thread::yield_now();
            seen.extend(LIST.take());
            seen
        }
        let ((), mine, theirs) = contend((), |()| uses(10), |()| uses(20));
        (mine, theirs)
    }
    within 0 faults gives [(vec![10, 10, 11, 12], vec![20, 20, 21, 22])];

    /// The value is destroyed after all that its task does and before it has ended, and is gone while that happens.
    fn a_thread_local_value_goes_with_its_task by every_search
    covers ["thread::LocalKey::{try_with, set}", "thread::AccessError"] {
        struct Leaves(Arc<AtomicU32>);
        impl Drop for Leaves {
            fn drop(&mut self) {
                let gone: Result<(), AccessError> = LAST.try_with(|_| ());
                self.0.store(if gone.is_err() { 2 } else { 3 }, SeqCst);
            }
        }
        caissa::thread_local!(static LAST: RefCell<Option<Leaves>> = const { RefCell::new(None) });
        let value = Arc::new(AtomicU32::new(0));
        let task = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                LAST.set(Some(Leaves(Arc::clone(&value))));
                value.store(1, SeqCst);
            })
        };
        let seen = value.load(SeqCst);
        task.join().unwrap();
        (seen, value.load(SeqCst))
    }
    within 0 faults gives [(0, 2), (1, 2), (2, 2)];
}
