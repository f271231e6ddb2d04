//! Stacks are mapped until the largest number of tasks has been seen, and then used again.
//!
//! Counted from inside: which mappings there are, and how often the system had to find a page. A stack that is mapped anew has
//! no pages yet, so every task would cost at least one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Search, Verdict, thread};

/// A size that nothing else maps.
const STACK: usize = (3 << 20) + (64 << 10);

const WARM: u64 = 100;
const LATE: u64 = 10_000;
const TASKS: usize = 3;

/// Mappings of the size of a stack; its guard is a mapping of its own.
fn stacks() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux shows the mappings of a process");
    let size = |line: &str| {
        let (from, to) = line.split(' ').next()?.split_once('-')?;
        Some(usize::from_str_radix(to, 16).ok()? - usize::from_str_radix(from, 16).ok()?)
    };
    maps.lines().filter_map(size).filter(|size| size.abs_diff(STACK) <= 32 << 10).count()
}

/// How often this OS thread had to wait for a page of memory.
fn page_faults() -> i64 {
    // SAFETY: all zeros is a value of this structure of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is ours and lives through the call.
    let result = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
    assert_eq!(result, 0);
    usage.ru_minflt + usage.ru_majflt
}

#[test]
fn no_stack_is_mapped_once_the_peak_was_seen() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let count = AtomicU64::new(0);
    let notes = Arc::clone(&seen);
    let report = Builder::new()
        .search(Search::Dfs)
        .stack_size(STACK)
        .explore(move || {
            let counter = Arc::new(AtomicUsize::new(0));
            let add = || {
                let counter = Arc::clone(&counter);
                thread::spawn(move || {
                    for _ in 0..2 {
                        counter.fetch_add(1, SeqCst);
                    }
                })
            };
            let tasks = [(); TASKS].map(|()| add());
            for task in tasks {
                task.join().unwrap();
            }
            // The program's own figures do not change what it does.
            let number = count.fetch_add(1, Relaxed);
            if number == WARM || number == LATE {
                notes.lock().unwrap().push((stacks(), page_faults()));
            }
        })
        .unwrap();
    assert_eq!(report.verdict, Verdict::Verified);
    let [(early, faults_early), (late, faults_late)] = seen.lock().unwrap()[..] else {
        panic!("the search is longer than {LATE} executions")
    };
    assert_eq!(early, TASKS + 1, "a stack for each task and for the main one");
    assert_eq!(late, early);
    // New stacks would cost TASKS faults in each of the 9,900 executions between. What the search keeps costs some.
    let faults = faults_late - faults_early;
    assert!(faults < (LATE - WARM) as i64 / 4, "{faults} page faults");
}
