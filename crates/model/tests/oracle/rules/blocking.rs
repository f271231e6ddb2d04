//! `await` and locks: who is blocked, who goes on instead, and what a deadlock is.

use super::super::ast::{Kind, Op, Stmt};
use super::super::write::{binary, eq, g, int, log, post, post_at, proc, program, set};
use super::{Rule, rule};

fn await_one() -> Stmt {
    Stmt::Await(eq(g(0), int(1)))
}

pub fn all() -> Vec<Rule> {
    let mut all = waiting();
    all.extend(levels());
    all.extend(locks());
    all
}

fn waiting() -> Vec<Rule> {
    vec![
        rule(
            "await blocks until its condition holds",
            program(
                &[0, 0],
                vec![proc(vec![post(1), await_one(), log(1, 1)]), proc(vec![log(1, 2), set(0, int(1))])],
            ),
        )
        .ends(&[1, 21], 0)
        .counts(&[1]),
        rule(
            "await whose condition holds is no point",
            program(&[1, 0], vec![proc(vec![post(1), await_one(), log(1, 1)]), proc(vec![log(1, 2)])]),
        )
        .ends(&[1, 12], 0)
        .counts(&[1]),
        rule(
            "leaving a blocked task is free",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(1), post(2), await_one(), log(1, 3)]),
                    proc(vec![set(0, int(1)), log(1, 1)]),
                    proc(vec![log(1, 2)]),
                ],
            ),
        )
        .ends(&[1, 123], 0)
        .ends(&[1, 132], 0)
        .ends(&[1, 213], 0)
        .counts(&[3]),
        rule("nobody can go on", program(&[0], vec![proc(vec![await_one()])]))
            .bug(Kind::Deadlock, 0)
            .counts(&[1]),
        rule("an assumption is no deadlock", program(&[0], vec![proc(vec![Stmt::Assume(eq(g(0), int(1)))])]))
            .discarded(0)
            .counts(&[1]),
        // It need not try.
        rule(
            "a pending task that would wait is not chosen",
            program(
                &[0],
                vec![proc(vec![post(1), Stmt::Yield, Stmt::Yield, set(0, int(1))]), proc(vec![await_one()])],
            ),
        )
        .ends(&[1], 0)
        .counts(&[1]),
        // Only what it does before that can be chosen.
        rule(
            "a task that does something before it waits is chosen",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(1), Stmt::Yield, Stmt::Yield, set(0, int(1))]),
                    proc(vec![log(1, 1), await_one()]),
                ],
            ),
        )
        .ends(&[1, 1], 0)
        .counts(&[1, 2]),
        rule(
            "a task that yields and would wait is left free of charge",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(1), Stmt::Yield, await_one(), log(1, 1)]),
                    proc(vec![set(0, int(1)), log(1, 2)]),
                ],
            ),
        )
        .ends(&[1, 21], 0)
        .counts(&[1]),
        rule(
            "a task that yields and would wait makes way for other buffers",
            program(
                &[0, 0],
                vec![proc(vec![Stmt::Yield, await_one(), log(1, 1)]), proc(vec![set(0, int(1)), log(1, 2)])],
            )
            .buffers(2),
        )
        .ends(&[1, 21], 0)
        .counts(&[1]),
        rule(
            "a task that zields and would wait is left free of charge",
            program(
                &[0, 0],
                vec![proc(vec![Stmt::Zield, await_one(), log(1, 1)]), proc(vec![set(0, int(1)), log(1, 2)])],
            )
            .buffers(2),
        )
        .ends(&[1, 21], 0)
        .counts(&[1]),
        // The first yield of a task counts: the task is left for another buffer, before the one that made way for it. No zield is needed.
        rule(
            "a new task that yields and would wait makes way for other buffers",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(2), Stmt::Yield, log(1, 1)]),
                    proc(vec![log(1, 3), set(0, int(1))]),
                    proc(vec![Stmt::Yield, await_one(), log(1, 2)]),
                ],
            )
            .buffers(2),
        )
        .ends(&[1, 132], 0)
        .ends(&[1, 312], 1)
        .ends(&[1, 321], 1)
        .counts(&[1, 3]),
        rule(
            "what has no effect does not stand before a wait",
            program(
                &[0],
                vec![
                    proc(vec![post(1), Stmt::Yield, set(0, int(1))]),
                    proc(vec![Stmt::Skip, Stmt::Atomic(vec![Stmt::Skip, await_one()])]),
                ],
            ),
        )
        .ends(&[1], 0)
        .counts(&[1]),
        rule(
            "the end of a branch does not stand before a wait",
            program(
                &[0],
                vec![
                    proc(vec![post(1), post(2)]),
                    proc(vec![
                        Stmt::If(eq(g(0), int(0)), vec![Stmt::Yield], vec![Stmt::Skip, Stmt::Yield]),
                        await_one(),
                    ]),
                    proc(vec![set(0, int(1))]),
                ],
            ),
        )
        .ends(&[1], 0)
        .counts(&[2]),
        rule(
            "a blocked task of another buffer is not chosen",
            program(&[0], vec![proc(vec![await_one()]), proc(vec![Stmt::Zield, set(0, int(1))])]).buffers(2),
        )
        .ends(&[1], 0)
        .counts(&[1]),
        rule(
            "a condition that fails does not block",
            program(
                &[2],
                vec![
                    proc(vec![post(1), Stmt::Await(eq(binary(Op::Div, int(1), g(0)), int(1)))]),
                    proc(vec![set(0, int(0))]),
                ],
            ),
        )
        .bug(Kind::Division, 0)
        .counts(&[1]),
    ]
}

fn levels() -> Vec<Rule> {
    vec![
        rule(
            "a blocked high task keeps lower levels from running",
            program(&[0], vec![proc(vec![post_at(1, 1), set(0, int(1))]), proc(vec![await_one()])])
                .levels(&[false, false]),
        )
        .bug(Kind::Deadlock, 0)
        .counts(&[1]),
        rule(
            "a blocked high task is woken by another buffer",
            program(
                &[0, 0],
                vec![
                    proc(vec![post_at(2, 1), log(1, 1)]),
                    proc(vec![set(0, int(1)), log(1, 3)]),
                    proc(vec![await_one(), log(1, 2)]),
                ],
            )
            .buffers(2)
            .levels(&[false, false]),
        )
        .ends(&[1, 321], 0)
        .counts(&[1]),
        rule(
            "a blocked high task lets others of its level run",
            program(
                &[0, 0],
                vec![
                    proc(vec![post_at(1, 1), log(1, 1)]),
                    proc(vec![post(2), await_one(), log(1, 2)]),
                    proc(vec![set(0, int(1)), log(1, 3)]),
                ],
            )
            .levels(&[false, false]),
        )
        .ends(&[1, 321], 0)
        .counts(&[1]),
        // Buffer 1 makes the condition false while the active task of buffer 0 is in front of it: at the zield that follows this one
        // becomes pending, and the other pending task may go first.
        rule(
            "an active task that is blocked by another buffer becomes pending",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(2), Stmt::Zield, Stmt::Await(eq(g(0), int(0))), log(1, 1)]),
                    proc(vec![set(0, int(1)), Stmt::Zield, set(0, int(0)), log(1, 3)]),
                    proc(vec![log(1, 2)]),
                ],
            )
            .buffers(2),
        )
        .ends(&[0, 123], 0)
        .ends(&[0, 312], 1)
        .ends(&[0, 321], 1)
        .ends(&[0, 231], 2)
        .counts(&[1, 2, 1]),
        // The condition is false and true again before any point.
        rule(
            "an active task that is blocked between points stays active",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(2), Stmt::Zield, Stmt::Await(eq(g(0), int(0))), log(1, 1)]),
                    proc(vec![set(0, int(1)), set(0, int(0)), Stmt::Zield, log(1, 3)]),
                    proc(vec![log(1, 2)]),
                ],
            )
            .buffers(2),
        )
        .ends(&[0, 123], 0)
        .ends(&[0, 312], 1)
        .counts(&[1, 1, 1]),
        rule(
            "a task that is blocked at a serial level stays active",
            program(&[0], vec![proc(vec![post(1), await_one()]), proc(vec![set(0, int(1))])]).levels(&[true]),
        )
        .bug(Kind::Deadlock, 0)
        .counts(&[1]),
        rule(
            "another buffer wakes a task of a serial level",
            program(
                &[0, 0],
                vec![
                    proc(vec![post(2), await_one(), log(1, 1)]),
                    proc(vec![log(1, 2), set(0, int(1))]),
                    proc(vec![log(1, 3)]),
                ],
            )
            .buffers(2)
            .levels(&[true]),
        )
        .ends(&[1, 213], 0)
        .counts(&[1]),
    ]
}

fn locks() -> Vec<Rule> {
    let crossed = |first, second| {
        proc(vec![
            Stmt::Lock(first),
            Stmt::Yield,
            Stmt::Lock(second),
            Stmt::Unlock(second),
            Stmt::Unlock(first),
        ])
    };
    let section =
        |digit| proc(vec![Stmt::Lock(0), log(0, digit), Stmt::Yield, log(0, digit), Stmt::Unlock(0)]);
    vec![
        // Each of the two may begin.
        rule(
            "locks taken in opposite orders",
            program(&[], vec![proc(vec![post(1), post(2)]), crossed(0, 1), crossed(1, 0)]).locks(2),
        )
        .ends(&[0, 0], 0)
        .bug(Kind::Deadlock, 1)
        .counts(&[2, 2]),
        rule(
            "locks taken in the same order",
            program(&[], vec![proc(vec![post(1), post(2)]), crossed(0, 1), crossed(0, 1)]).locks(2),
        )
        .ends(&[0, 0], 0)
        .counts(&[2]),
        rule(
            "a lock excludes",
            program(&[0], vec![proc(vec![post(1), post(2)]), section(1), section(2)]).locks(1),
        )
        .ends(&[1122, 0], 0)
        .ends(&[2211, 0], 0)
        .counts(&[2]),
        rule("a lock may stay held", program(&[], vec![proc(vec![Stmt::Lock(0)])]).locks(1))
            .ends(&[1], 0)
            .counts(&[1]),
        rule(
            "a lock is not taken twice",
            program(&[], vec![proc(vec![Stmt::Lock(0), Stmt::Lock(0)])]).locks(1),
        )
        .bug(Kind::Deadlock, 0)
        .counts(&[1]),
        rule(
            "another task may unlock",
            program(
                &[],
                vec![proc(vec![Stmt::Lock(0), post(1), Stmt::Lock(0)]), proc(vec![Stmt::Unlock(0)])],
            )
            .locks(1),
        )
        .ends(&[1], 0)
        .counts(&[1]),
        rule("unlock of a free lock", program(&[], vec![proc(vec![Stmt::Unlock(0)])]).locks(1))
            .bug(Kind::Unlock, 0)
            .counts(&[1]),
    ]
}
