//! `bench overhead`: what fairness, the clocks by which races are found, and the hash of classes cost, all on beside all off.
//!
//! Programs of the corpus neither yield nor have data cells, so two more do: in one every task yields once, which rules no
//! schedule out, so that both searches run the same executions; in the other tasks write data cells under a lock. They do
//! little else, so they show the worst case. Clocks are forced on: by default programs without data cells go without.

use caissa::cell::UnsafeCell;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Search, Verdict, thread};

use crate::cpu;
use crate::figures::Claim;
use crate::json::Json;
use crate::machine::Machine;
use crate::peers::Extent;
use crate::programs::PROGRAMS;
use crate::section::{Cell, Row, Section, interleaved, print_claims};

/// All on has at least this share of the speed of all off.
const FLOOR: f64 = 0.7;

/// Executions of one measurement.
const EXECUTIONS: u64 = 200_000;

/// Every task yields once between accesses of an atomic.
fn yields_once() {
    let shared = Arc::new(AtomicUsize::new(0));
    let tasks = [1, 2, 3].map(|me| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            shared.fetch_add(me, SeqCst);
            thread::yield_now();
            shared.fetch_add(me, SeqCst);
            shared.load(SeqCst)
        })
    });
    tasks.into_iter().for_each(|task| assert!(task.join().unwrap() <= 12));
}

/// What a lock guards, kept beside it.
struct Guarded {
    lock: Mutex<()>,
    data: [UnsafeCell<usize>; 2],
}

// SAFETY: the cells are used with the lock held, or when all tasks have ended.
unsafe impl Sync for Guarded {}

/// Tasks write two data cells under a lock.
fn guarded_cells() {
    let data = [UnsafeCell::new(0), UnsafeCell::new(0)];
    let guarded = Arc::new(Guarded { lock: Mutex::new(()), data });
    let tasks = [1, 2].map(|me| {
        let guarded = Arc::clone(&guarded);
        thread::spawn(move || {
            for _ in 0..3 {
                let _held = guarded.lock.lock().unwrap();
                for cell in &guarded.data {
                    // SAFETY: the lock is held.
                    cell.with_mut(|value| unsafe { *value += me });
                }
            }
        })
    });
    tasks.into_iter().for_each(|task| task.join().unwrap());
    for cell in &guarded.data {
        // SAFETY: all tasks have ended.
        cell.with(|value| assert_eq!(unsafe { *value }, 9));
    }
}

fn programs() -> Vec<(&'static str, fn())> {
    let corpus = PROGRAMS.iter().map(|program| (program.name, program.caissa));
    corpus.chain([("yields_once", yields_once as fn()), ("guarded_cells", guarded_cells)]).collect()
}

/// Executions per CPU second, of depth-first search with everything on or off.
fn per_second(program: fn(), on: bool, executions: u64) -> f64 {
    let builder = Builder::new().search(Search::Dfs).fair(on).races(on).force_clocks(on).classes(on);
    let before = cpu::of_process();
    let mut done = 0;
    while done < executions {
        let builder = builder.clone().max_executions(executions - done).progress(std::time::Duration::ZERO);
        let report = builder.explore(program).expect("the settings make sense");
        assert!(matches!(report.verdict, Verdict::Verified | Verdict::Incomplete), "{report}");
        done += report.executions();
    }
    done as f64 / (cpu::of_process() - before)
}

fn measure(extent: Extent) -> Section {
    let programs = programs();
    let executions = EXECUTIONS / extent.divisor;
    let mut cells = Vec::new();
    for &(name, program) in &programs {
        for on in [true, false] {
            let label = format!("{name}, {}", if on { "on" } else { "off" });
            cells.push(Cell::new(label, move || per_second(program, on, executions)));
        }
    }
    interleaved(extent.rounds, &mut cells);
    let (mut rows, mut claims) = (Vec::new(), Vec::new());
    for (&(name, _), pair) in programs.iter().zip(cells.chunks(2)) {
        for (checker, cell) in ["all on", "all off"].into_iter().zip(pair) {
            let (program, checker, figures) = (name.to_owned(), checker.to_owned(), cell.figures.clone());
            rows.push(Row { program, checker, figures, facts: vec![("executions", executions)] });
        }
        let ratio = pair[0].figures.over(&pair[1].figures);
        claims.push(Claim::at_least(format!("{name}: all on, of the speed of all off"), ratio, FLOOR, None));
    }
    Section {
        name: "Fairness, clocks and classes",
        unit: "executions per CPU second, depth-first",
        rows,
        claims,
        remarks: Vec::new(),
    }
}

pub fn run(extent: Extent, as_json: bool) {
    let machine = Machine::this();
    let section = measure(extent);
    if as_json {
        println!("{}", Json::Object(vec![("machine", machine.json()), ("overhead", section.json())]));
        return;
    }
    print!("{machine}");
    section.print();
    print_claims(&section.claims);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_settings_run_the_same_executions() {
        for (name, program) in [("yields_once", yields_once as fn()), ("guarded_cells", guarded_cells)] {
            let explore = |on: bool| {
                let builder = Builder::new().preemptions(1).fair(on).races(on).force_clocks(on).classes(on);
                builder.explore(program).unwrap()
            };
            let [on, off] = [true, false].map(explore);
            assert_eq!(on.verdict, Verdict::Bounded, "{name}: {on}");
            assert_eq!((on.verdict, on.executions()), (off.verdict, off.executions()), "{name}");
        }
    }
}
