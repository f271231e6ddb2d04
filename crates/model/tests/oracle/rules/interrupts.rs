//! Interrupt lines (2012 paper, section 3.3).

use super::super::ast::{Kind, Stmt};
use super::super::write::{eq, g, int, log, lt, post_at, proc, program, set};
use super::{Rule, rule};

pub fn all() -> Vec<Rule> {
    let mut all = handlers();
    all.extend(blocked());
    all.extend(several());
    all
}

fn handlers() -> Vec<Rule> {
    let raising = vec![proc(vec![log(0, 1), Stmt::Raise(0), log(0, 2)]), proc(vec![log(0, 3)])];
    // Buffer 1 raises the line of buffer 0, while this is at its zield or after it has ended.
    let across = |raises: usize| {
        let mut raiser = vec![Stmt::Raise(0); raises];
        raiser.push(log(0, 4));
        vec![proc(vec![log(0, 1), Stmt::Zield, log(0, 2)]), proc(raiser), proc(vec![log(0, 3)])]
    };
    vec![
        rule(
            "a raised line is noticed before the next access",
            program(&[0], raising.clone()).levels(&[false, true]).line(0, 1, 1),
        )
        .ends(&[132], 0)
        .counts(&[1]),
        rule("a handler of the same level waits", program(&[0], raising).line(0, 1, 0))
            .ends(&[123], 0)
            .counts(&[1]),
        rule(
            "a line is noticed by its own buffer only, and not by an idle one",
            program(&[0], across(1)).buffers(2).levels(&[false, true]).line(0, 2, 1),
        )
        .ends(&[124], 0)
        .ends(&[1432], 1)
        .counts(&[1, 1]),
        rule(
            "a line that is raised twice is noticed once",
            program(&[0], across(2)).buffers(2).levels(&[false, true]).line(0, 2, 1),
        )
        .ends(&[124], 0)
        .ends(&[1432], 1)
        .counts(&[1, 1]),
        rule(
            "conditions of loops notice lines",
            program(
                &[0],
                vec![
                    proc(vec![Stmt::Raise(0), Stmt::While(lt(g(0), int(1)), vec![Stmt::Skip]), log(0, 2)]),
                    proc(vec![set(0, int(1))]),
                ],
            )
            .levels(&[false, true])
            .line(0, 1, 1),
        )
        .ends(&[12], 0)
        .counts(&[1]),
        rule(
            "a task that accesses nothing notices nothing",
            program(&[0], vec![proc(vec![Stmt::Raise(0), Stmt::Skip]), proc(vec![log(0, 3)])])
                .levels(&[false, true])
                .line(0, 1, 1),
        )
        .ends(&[0], 0)
        .counts(&[1]),
        // The zield is behind the look; what is raised while the buffer has no control is noticed after it.
        rule(
            "a handler can be left at its zield",
            program(
                &[0],
                vec![
                    proc(vec![Stmt::Raise(0), log(0, 1)]),
                    proc(vec![log(0, 2)]),
                    proc(vec![Stmt::Zield, log(0, 3)]),
                ],
            )
            .buffers(2)
            .levels(&[false, true])
            .line(0, 2, 1),
        )
        .ends(&[312], 0)
        .ends(&[231], 1)
        .counts(&[1, 1]),
    ]
}

fn blocked() -> Vec<Rule> {
    let waiting = |handler: Vec<Stmt>| {
        program(
            &[0, 0],
            vec![
                proc(vec![Stmt::Await(eq(g(0), int(1))), log(1, 1)]),
                proc(vec![Stmt::Raise(0), log(1, 3)]),
                proc(handler),
            ],
        )
        .buffers(2)
    };
    let interrupted = |serial| {
        program(
            &[0, 0],
            vec![
                proc(vec![Stmt::Raise(0), Stmt::Await(eq(g(0), int(1))), log(1, 1)]),
                proc(vec![post_at(2, 0), log(1, 3)]),
                proc(vec![set(0, int(1)), log(1, 2)]),
            ],
        )
        .levels(&[serial, true])
        .line(0, 1, 1)
    };
    let frees = vec![set(0, int(1)), log(1, 2)];
    vec![
        rule("a line wakes a blocked task", waiting(frees.clone()).levels(&[false, true]).line(0, 2, 1))
            .ends(&[1, 321], 0)
            .counts(&[1]),
        rule(
            "a line wakes a blocked task of a serial level",
            waiting(frees.clone()).levels(&[true, true]).line(0, 2, 1),
        )
        .ends(&[1, 321], 0)
        .counts(&[1]),
        rule(
            "a woken task is blocked again if its condition does not hold",
            waiting(vec![log(1, 2)]).levels(&[true, true]).line(0, 2, 1),
        )
        .bug(Kind::Deadlock, 0)
        .counts(&[1]),
        // The handler posts what frees the task; the task is blocked when the handler has ended, and makes way.
        rule("an interrupted task that would wait becomes pending", interrupted(false))
            .ends(&[1, 321], 0)
            .counts(&[1]),
        rule("an interrupted task that would wait stays active at a serial level", interrupted(true))
            .bug(Kind::Deadlock, 0)
            .counts(&[1]),
        // The handler waits at the level of the blocked task, which becomes pending: the handler runs.
        rule("a handler of the level of a blocked task", waiting(frees.clone()).line(0, 2, 0))
            .ends(&[1, 321], 0)
            .counts(&[1]),
        // At a serial level it stays active: the handler never runs.
        rule("a handler of the serial level of a blocked task", waiting(frees).levels(&[true]).line(0, 2, 0))
            .bug(Kind::Deadlock, 0)
            .counts(&[1]),
    ]
}

fn several() -> Vec<Rule> {
    let both = |first, second| {
        program(
            &[0],
            vec![
                proc(vec![Stmt::Zield, log(0, 1)]),
                proc(vec![Stmt::Raise(1), Stmt::Raise(0), log(0, 4)]),
                proc(vec![log(0, 2)]),
                proc(vec![log(0, 3)]),
            ],
        )
        .buffers(2)
        .levels(&[false, true, true])
        .line(0, 2, first)
        .line(0, 3, second)
    };
    vec![
        // The first handler interrupts at once and notices the second line, whose handler waits for it.
        rule("lines are noticed in the order of their declaration", both(1, 1))
            .ends(&[14], 0)
            .ends(&[4231], 1)
            .counts(&[1, 1]),
        // The first handler accesses nothing: the second line is noticed when it has ended.
        rule("every line is looked at before an access", {
            let mut program = both(1, 1);
            program.procs[2].body = vec![Stmt::Skip];
            program
        })
        .ends(&[14], 0)
        .ends(&[431], 1)
        .counts(&[1, 1]),
        // The handler of line 1 raises line 0 and does nothing more: it is noticed before the access of the task that was interrupted.
        rule("lines are looked at until none is raised", {
            let procs = vec![vec![Stmt::Raise(1), log(0, 1)], vec![log(0, 2)], vec![Stmt::Raise(0)]];
            let procs = procs.into_iter().map(proc).collect();
            program(&[0], procs).levels(&[false, true]).line(0, 1, 1).line(0, 2, 1)
        })
        .ends(&[21], 0)
        .counts(&[1]),
        rule("a task that waits does not make way while a line is raised", {
            let waits = vec![Stmt::Raise(1), Stmt::Await(eq(g(1), int(1))), log(0, 1)];
            let procs = vec![waits, vec![log(0, 4)], vec![set(1, int(1)), log(0, 2)], vec![Stmt::Raise(0)]];
            let procs = procs.into_iter().map(proc).collect();
            program(&[0, 0], procs).buffers(2).levels(&[false, true]).line(0, 2, 1).line(0, 3, 1)
        })
        .ends(&[214, 1], 0)
        .counts(&[1]),
        // The first handler interrupts at once; the second interrupts it before its first access.
        rule("a handler is interrupted by a higher one", both(1, 2))
            .ends(&[14], 0)
            .ends(&[4321], 1)
            .counts(&[1, 1]),
        rule("a handler is not interrupted by a lower one", both(2, 1))
            .ends(&[14], 0)
            .ends(&[4231], 1)
            .counts(&[1, 1]),
    ]
}
