// Work-stealing queue whose steal checks first (e3). The thief compares head and tail and only then
// claims its item by moving the head. A victim that pops down to that item in between sees no
// claim, and both take it.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: bug panic
// preemptions: 2, 42 executions
// delays rr: 2, 42 executions
// delays dfs: 3, 146 executions
// twin: pass/work_stealing_queue_big.rs

pub fn wsq_steal_checks_first() {
    let harness = Harness {
        items: 2,
        filled_at_start: false,
        thieves: 1,
        steals_per_thief: 2,
        pops: 2,
        drained_at_end: true,
    };
    let defects = Defects { steal_checks_first: true, ..CORRECT };
    run(harness, defects);
}
