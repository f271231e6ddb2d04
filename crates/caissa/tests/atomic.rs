//! `sync::atomic`: every operation of every type as std's; inside a check one total order of accesses.

use std::panic::catch_unwind;

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::sync::Arc;
use caissa::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicUsize, Ordering, Ordering::SeqCst, compiler_fence, fence,
};
use caissa::{Bug, Note, OpKind, thread};

macro_rules! integers {
    ($($test:ident, $atomic:ident, $value:ident;)*) => { $(
        like_std! { $test -> Vec<String> {
            use sync::atomic::$atomic;
            let mut a = $atomic::new($value::MAX);
            let mut seen = vec![a.load(SeqCst)];
            seen.push(a.fetch_add(3, SeqCst));
            seen.push(a.fetch_sub(5, SeqCst));
            seen.push(a.fetch_and(0x5a, SeqCst));
            seen.push(a.fetch_nand(0x33, SeqCst));
            seen.push(a.fetch_or(0x0f, SeqCst));
            seen.push(a.fetch_xor(0x3c, SeqCst));
            seen.push(a.fetch_max($value::MAX / 2, SeqCst));
            seen.push(a.fetch_min(7, SeqCst));
            seen.push(a.swap(9, Ordering::AcqRel));
            a.store(10, Ordering::Release);
            seen.push(a.load(Ordering::Acquire));
            *a.get_mut() += 1;
            let results = [
                a.compare_exchange(11, 12, SeqCst, Ordering::Relaxed),
                a.compare_exchange(11, 13, Ordering::AcqRel, Ordering::Acquire),
                a.compare_exchange_weak(0, 1, SeqCst, SeqCst),
                a.fetch_update(SeqCst, SeqCst, |value| Some(value * 2)),
                a.fetch_update(SeqCst, SeqCst, |_| None),
                a.try_update(SeqCst, SeqCst, |value| value.checked_add(1)),
                a.try_update(SeqCst, SeqCst, |_| None),
                Ok(a.update(SeqCst, SeqCst, |value| value - 2)),
            ];
            #[allow(deprecated)]
            seen.extend([a.compare_and_swap(0, 1, SeqCst), a.compare_and_swap(23, 24, SeqCst)]);
            // SAFETY: nobody else has it.
            seen.push(unsafe { *a.as_ptr() });
            // SAFETY: as above.
            unsafe { *a.as_ptr() += 1 };
            let sum = $atomic::default().into_inner() + $atomic::from(4).into_inner();
            let shown = format!("{a:?} {sum}");
            vec![format!("{seen:?}"), format!("{results:?}"), shown, a.into_inner().to_string()]
        } }
    )* };
}

integers! {
    u8_as_stds, AtomicU8, u8;
    u16_as_stds, AtomicU16, u16;
    u32_as_stds, AtomicU32, u32;
    u64_as_stds, AtomicU64, u64;
    usize_as_stds, AtomicUsize, usize;
    i8_as_stds, AtomicI8, i8;
    i16_as_stds, AtomicI16, i16;
    i32_as_stds, AtomicI32, i32;
    i64_as_stds, AtomicI64, i64;
    isize_as_stds, AtomicIsize, isize;
}

like_std! { bool_as_stds -> Vec<String> {
    use sync::atomic::AtomicBool;
    let mut a = AtomicBool::new(true);
    let seen = [
        a.fetch_and(false, SeqCst),
        a.fetch_or(true, SeqCst),
        a.fetch_xor(true, SeqCst),
        a.fetch_nand(true, SeqCst),
        a.fetch_not(SeqCst),
        a.swap(true, SeqCst),
        a.load(SeqCst),
    ];
    *a.get_mut() = false;
    a.store(true, SeqCst);
    let results = [
        a.compare_exchange(true, false, SeqCst, SeqCst),
        a.compare_exchange(true, false, SeqCst, SeqCst),
        a.compare_exchange_weak(true, false, SeqCst, SeqCst),
        a.fetch_update(SeqCst, SeqCst, |value| Some(!value)),
        a.try_update(SeqCst, SeqCst, |_| None),
        Ok(a.update(SeqCst, SeqCst, |value| !value)),
        #[allow(deprecated)]
        Ok(a.compare_and_swap(false, true, SeqCst)),
        // SAFETY: nobody else has it.
        Ok(unsafe { *a.as_ptr() }),
    ];
    let others = (AtomicBool::default().into_inner(), AtomicBool::from(true).into_inner());
    let shown = format!("{a:?} {others:?}");
    vec![format!("{seen:?}"), format!("{results:?}"), shown, a.into_inner().to_string()]
} }

like_std! { pointer_as_stds -> Vec<bool> {
    use sync::atomic::AtomicPtr;
    let (mut one, mut two) = (1, 2);
    let (one, two): (*mut u32, *mut u32) = (&mut one, &mut two);
    let mut a = AtomicPtr::new(one);
    let mut facts = vec![a.load(SeqCst) == one, a.swap(two, SeqCst) == one];
    facts.push(a.compare_exchange(two, one, SeqCst, SeqCst) == Ok(two));
    facts.push(a.compare_exchange_weak(two, one, SeqCst, SeqCst) == Err(one));
    facts.push(a.fetch_update(SeqCst, SeqCst, |_| Some(two)) == Ok(one));
    facts.push(format!("{a:?}{a:p}") == format!("{two:?}{two:p}"));
    a.store(one, SeqCst);
    facts.push(*a.get_mut() == one);
    facts.push(a.into_inner() == one);
    facts.push(AtomicPtr::<u32>::default().into_inner().is_null());
    facts.push(AtomicPtr::from(one).into_inner() == one);
    facts
} }

like_std! { pointers_count_as_stds -> Vec<isize> {
    use sync::atomic::AtomicPtr;
    let mut elements = [0u16; 64];
    let first = elements.as_mut_ptr();
    let a = AtomicPtr::new(first);
    let offset = |pointer: *mut u16| pointer as isize - first as isize;
    let mut seen = vec![offset(a.fetch_ptr_add(5, SeqCst)), offset(a.fetch_ptr_sub(2, SeqCst))];
    seen.extend([offset(a.fetch_byte_add(4, SeqCst)), offset(a.fetch_byte_sub(2, SeqCst))]);
    seen.push(offset(a.load(SeqCst)));
    seen.push(offset(a.fetch_or(1, SeqCst)) - (first as isize & 1));
    seen.push(offset(a.fetch_xor(3, SeqCst)) & 1);
    seen.push(offset(a.fetch_and(!3, SeqCst)) & 3);
    seen.push(a.load(SeqCst) as isize & 3);
    a.store(first, SeqCst);
    seen.push(offset(a.update(SeqCst, SeqCst, |pointer| pointer.wrapping_add(1))));
    seen.push(a.try_update(SeqCst, SeqCst, |_| None).map_or_else(offset, offset));
    #[allow(deprecated)]
    seen.push(offset(a.compare_and_swap(first, first, SeqCst)));
    // SAFETY: nobody else has it.
    seen.push(offset(unsafe { *a.as_ptr() }));
    seen
} }

#[allow(deprecated)]
mod old_names {
    use super::SeqCst;

    like_std! { constants_and_the_hint -> (bool, usize, isize) {
        use sync::atomic::{self, AtomicBool, AtomicIsize, AtomicUsize};
        static FLAG: AtomicBool = atomic::ATOMIC_BOOL_INIT;
        static COUNT: AtomicUsize = atomic::ATOMIC_USIZE_INIT;
        static SIGNED: AtomicIsize = atomic::ATOMIC_ISIZE_INIT;
        atomic::spin_loop_hint();
        (FLAG.load(SeqCst), COUNT.load(SeqCst), SIGNED.load(SeqCst))
    } }
}

like_std! { orderings_that_make_no_sense_panic -> Vec<String> {
    use sync::atomic::{AtomicU32, fence};
    fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let payload = catch_unwind(f).expect_err("it panics");
        payload.downcast_ref::<&str>().map(|text| (*text).to_owned()).unwrap_or_default()
    }
    let [relaxed, acquire, release, both] =
        [Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel];
    assert!(catch_unwind(|| AtomicU32::new(0).load(both)).is_err());
    assert!(catch_unwind(|| AtomicU32::new(0).store(1, both)).is_err());
    assert!(catch_unwind(|| AtomicU32::new(0).compare_exchange(1, 2, SeqCst, both)).is_err());
    vec![
        message(|| _ = AtomicU32::new(0).load(release)),
        message(|| AtomicU32::new(0).store(1, acquire)),
        message(|| _ = AtomicU32::new(0).compare_exchange(1, 2, SeqCst, release)),
        message(|| fence(relaxed)),
    ]
} }

#[test]
fn threads_outside_a_check_share_a_static() {
    static COUNTER: AtomicUsize = AtomicUsize::new(0);
    static FLAG: AtomicBool = AtomicBool::new(false);
    static POINTER: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());
    let threads = [(); 4].map(|()| {
        thread::spawn(|| {
            for _ in 0..1000 {
                COUNTER.fetch_add(1, Ordering::Relaxed);
            }
            FLAG.store(true, SeqCst);
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!((COUNTER.load(SeqCst), FLAG.load(SeqCst)), (4000, true));
    assert!(POINTER.load(SeqCst).is_null());
}

/// Main's two accesses and the other's two, with its end, merge in 5 over 2 ways. Of the four pairs of values one would
/// need both loads before both stores.
#[test]
fn store_buffering_has_three_outcomes() {
    fn store_buffering(order: (Ordering, Ordering)) -> (usize, usize) {
        let vars = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = {
            let vars = Arc::clone(&vars);
            thread::spawn(move || {
                vars.0.store(1, order.0);
                vars.1.load(order.1)
            })
        };
        vars.1.store(1, order.0);
        let mine = vars.0.load(order.1);
        (mine, other.join().unwrap())
    }
    let explored = explored(|| store_buffering((SeqCst, SeqCst)));
    assert_eq!(explored.outcomes, [(0, 1), (1, 0), (1, 1)].into());
    assert_eq!((explored.executions, explored.classes), (10, 3));
    // Weaker orderings are taken for SeqCst: the verdict says that it assumes sequential consistency.
    let relaxed = outcomes(|| store_buffering((Ordering::Relaxed, Ordering::Relaxed)));
    assert_eq!(relaxed, explored.outcomes);
}

#[test]
fn two_readers_agree_on_the_order_of_two_writes() {
    let seen = outcomes(|| {
        let (x, y) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            scope.spawn(|| x.store(1, SeqCst));
            let reader = scope.spawn(|| (x.load(SeqCst), y.load(SeqCst)));
            let first = y.swap(1, SeqCst);
            let mine = (x.load(SeqCst), first);
            (mine, reader.join().unwrap())
        })
    });
    // Main has written y before it reads x = 0; so whoever reads x = 1 and then y reads y = 1.
    assert!(seen.iter().all(|&(mine, reader)| mine != (0, 0) || reader != (1, 0)), "{seen:?}");
    let readers: Vec<_> = seen.iter().map(|&(_, reader)| reader).collect();
    assert!(readers.contains(&(1, 0)) && readers.contains(&(0, 1)), "{seen:?}");
}

#[test]
fn updates_are_not_lost_and_a_load_and_a_store_are_not_an_update() {
    fn added(atomically: bool) -> usize {
        let counter = AtomicUsize::new(0);
        let add = || {
            if atomically {
                counter.fetch_add(1, SeqCst);
            } else {
                counter.store(counter.load(SeqCst) + 1, SeqCst);
            }
        };
        thread::scope(|scope| {
            scope.spawn(add);
            add();
        });
        counter.into_inner()
    }
    assert_eq!(outcomes(|| added(true)), [2].into());
    assert_eq!(outcomes(|| added(false)), [1, 2].into());
}

#[test]
fn fetch_update_tries_again_and_compare_exchange_has_one_winner() {
    let seen = outcomes(|| {
        let (counter, owner) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |name| {
            counter.fetch_update(SeqCst, SeqCst, |n| Some(n + 1)).unwrap();
            owner.compare_exchange(0, name, SeqCst, SeqCst).is_ok()
        };
        let won = thread::scope(|scope| {
            let other = scope.spawn(|| work(2));
            (work(1), other.join().unwrap())
        });
        (won, counter.into_inner(), owner.into_inner())
    });
    assert_eq!(seen, [((false, true), 2, 2), ((true, false), 2, 1)].into());
}

/// Reads commute, and a comparison that fails only reads.
#[test]
fn reads_and_failed_comparisons_are_one_class() {
    let reads = explored(|| {
        let value = AtomicUsize::new(7);
        thread::scope(|scope| {
            let readers = [(); 3].map(|()| scope.spawn(|| value.load(SeqCst)));
            readers.map(|reader| reader.join().unwrap())
        })
    });
    assert_eq!(reads.outcomes, [[7; 3]].into());
    assert_eq!(reads.classes, 1);
    let comparisons = |expected| {
        explored(move || {
            let value = AtomicUsize::new(0);
            thread::scope(|scope| {
                let other = scope.spawn(|| value.compare_exchange(8, 9, SeqCst, SeqCst).is_ok());
                let mine = value.compare_exchange(expected, 9, SeqCst, SeqCst).is_ok();
                (mine, other.join().unwrap())
            })
        })
    };
    let both_fail = comparisons(8);
    assert_eq!((both_fail.outcomes, both_fail.classes), ([(false, false)].into(), 1));
    let one_writes = comparisons(0);
    assert_eq!((one_writes.outcomes, one_writes.classes), ([(true, false)].into(), 2));
}

/// A fence is no point: main has one access, the other one and its end.
#[test]
fn fences_are_no_points() {
    let explored = explored(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let other = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                fence(Ordering::Acquire);
                value.store(1, SeqCst);
                fence(Ordering::Release);
            })
        };
        fence(SeqCst);
        let read = value.load(SeqCst);
        compiler_fence(SeqCst);
        other.join().unwrap();
        read
    });
    assert_eq!((explored.outcomes, explored.executions), ([0, 1].into(), 3));
}

#[test]
fn a_lost_update_is_reported_with_its_values() {
    let (found, text) = finding(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let other = {
            let counter = Arc::clone(&counter);
            thread::spawn(move || counter.store(counter.load(SeqCst) + 1, SeqCst))
        };
        counter.store(counter.load(SeqCst) + 1, SeqCst);
        other.join().unwrap();
        assert_eq!(counter.load(SeqCst), 2, "an update was lost");
    });
    let Bug::Panic { panic, .. } = &found.bug else { panic!("{text}") };
    assert!(panic.message.contains("an update was lost") && panic.source.contains("atomic.rs"));
    assert_eq!((found.preemptions, found.minimal), (1, true));
    let stores: Vec<_> = found.trace.events.iter().filter(|event| event.op.kind == OpKind::Store).collect();
    assert_eq!(stores[0].note, Note::Changed("0".into(), "1".into()));
    assert_eq!(stores[1].note, Note::Changed("1".into(), "1".into()));
    assert_says(
        &text,
        &["task T0 (main) panicked at", "load atomic#0 = 0", "store atomic#0: 1 -> 1", "-- preemption: "],
    );
}
