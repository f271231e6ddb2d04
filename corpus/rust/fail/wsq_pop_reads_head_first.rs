// Work-stealing queue whose pop reads the head first (e1). The victim reads the head and only then
// claims its item by moving the tail. A thief that steals up to that item in between is not
// noticed, and both take it.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: bug panic
// preemptions: 1, 10 executions
// delays rr: 1, 10 executions
// delays dfs: 2, 22 executions
// twin: pass/work_stealing_queue_big.rs

pub fn wsq_pop_reads_head_first() {
    let harness = Harness {
        items: 2,
        filled_at_start: false,
        thieves: 1,
        steals_per_thief: 2,
        pops: 2,
        drained_at_end: true,
    };
    let defects = Defects { pop_reads_head_first: true, ..CORRECT };
    run(harness, defects);
}
