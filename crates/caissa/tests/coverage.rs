//! State coverage of the fair search, as in Table 2 of Musuvathi and Qadeer, PLDI 2008 (section 4.2.1).

#[path = "coverage/cells.rs"]
mod cells;
#[path = "coverage/explorer.rs"]
mod explorer;
#[path = "coverage/fair.rs"]
mod fair;
#[path = "coverage/philosophers.rs"]
mod philosophers;
#[path = "coverage/queue.rs"]
mod queue;

use cells::{Cell, HEAD, Program, Strategy};
use philosophers::Manners;

#[test]
fn try_out() {
    println!("{HEAD}");
    for program in [
        Program::stubborn_work_stealing(1, 1),
        Program::stubborn_work_stealing(1, 2),
        Program::stubborn_work_stealing(1, 3),
        Program::stubborn_work_stealing(2, 1),
        Program::stubborn_work_stealing(2, 2),
        Program::philosophers(2, Manners::All),
        Program::philosophers(2, Manners::Nested),
        Program::philosophers(2, Manners::First),
        Program::philosophers(3, Manners::All),
        Program::philosophers(3, Manners::Nested),
        Program::philosophers(3, Manners::First),
        Program::work_stealing(1, 1),
        Program::work_stealing(1, 2),
        Program::work_stealing(1, 3),
        Program::work_stealing(2, 1),
        Program::work_stealing(2, 2),
        Program::work_stealing(2, 3),
    ] {
        for strategy in Strategy::ALL {
            let now = std::time::Instant::now();
            let total = program.states(strategy);
            let (states, executions) = program.fair(strategy);
            println!(
                "# {program} {strategy}: total {} fair {} missed {} executions {executions} {:?}",
                total.len(),
                states.len(),
                total.difference(&states).count(),
                now.elapsed()
            );
            println!("{} {:?}", Cell::measure(program, strategy, 40_000), now.elapsed());
        }
    }
}
