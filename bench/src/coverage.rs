//! `bench coverage`: Table 2 of Musuvathi and Qadeer, PLDI 2008: how many of the states that an exhaustive search with stored
//! states finds does the fair stateless search come to?
//!
//! Programs, models and the exhaustive search are those of the test `coverage` of the crate `caissa`, which says how states are
//! made; here the programs are larger, and the budget of executions is.

#[path = "../../crates/caissa/tests/coverage/cells.rs"]
mod cells;
#[path = "../../crates/caissa/tests/coverage/explorer.rs"]
mod explorer;
#[path = "../../crates/caissa/tests/coverage/fair.rs"]
mod fair;
#[path = "../../crates/caissa/tests/coverage/patience.rs"]
mod patience;
#[path = "../../crates/caissa/tests/coverage/philosophers.rs"]
mod philosophers;
#[path = "../../crates/caissa/tests/coverage/queue.rs"]
mod queue;

use cells::{Cell, HEAD, Program, Strategy};
use patience::Patience;
use philosophers::Manners;

use crate::cpu;
use crate::json::Json;
use crate::machine::Machine;
use crate::section::said;

/// Executions that a search may run.
const BUDGET: u64 = 3_000_000;

/// For how many of its yields a task is taken to yield once.
const K: u8 = 1;

fn programs() -> Vec<Program> {
    vec![
        Program::philosophers(2, Manners::All),
        Program::philosophers(2, Manners::First),
        Program::philosophers(3, Manners::Nested),
        Program::philosophers(3, Manners::First),
        Program::philosophers(3, Manners::All),
        Program::queue(1, 3),
        Program::queue(2, 3),
        Program::stubborn_queue(1, 3),
        Program::stubborn_queue(2, 2),
        Program::Patience(Patience { yields: 3 }),
    ]
}

/// A cell and the CPU seconds that it took, those of the exhaustive search included.
fn measure(budget: u64) -> Vec<(Cell, f64)> {
    let mut cells = Vec::new();
    for program in programs() {
        for strategy in Strategy::ALL {
            said(&format!("{program}, {strategy}"));
            let before = cpu::of_process();
            let cell = Cell::measure(program, strategy, K, budget);
            cells.push((cell, cpu::of_process() - before));
        }
    }
    said("");
    cells
}

fn json(cell: &Cell, seconds: f64) -> Json {
    Json::Object(vec![
        ("program", cell.program.to_string().as_str().into()),
        ("search", cell.strategy.to_string().as_str().into()),
        ("total", (cell.total as u64).into()),
        ("fair", (cell.fair as u64).into()),
        ("missed", (cell.missed as u64).into()),
        ("executions", cell.executions.into()),
        ("complete", cell.complete.into()),
        ("seconds", seconds.into()),
    ])
}

pub fn run(quick: bool, as_json: bool) {
    let machine = Machine::this();
    let budget = if quick { BUDGET / 1_000 } else { BUDGET };
    let cells = measure(budget);
    if as_json {
        let rows = cells.iter().map(|(cell, seconds)| json(cell, *seconds)).collect();
        println!("{}", Json::Object(vec![("machine", machine.json()), ("cells", Json::List(rows))]));
        return;
    }
    print!("{machine}");
    println!("\n## States, with at most {budget} executions\n");
    let mut head = HEAD.lines();
    println!("{} CPU s |", head.next().expect("a line of names"));
    println!("{}--:|", head.next().expect("a line below it"));
    for (cell, seconds) in &cells {
        println!("{cell} {seconds:.2} |");
    }
}
