// Work-stealing queue whose steal takes no lock (e2). Two thieves steal twice each while the victim
// pushes two items and pops twice. A thief preempted after it has read the head lets the other
// claim the same item, and both take it.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: bug panic
// preemptions: 2, 498 executions
// delays rr: 2, 123 executions
// delays dfs: 2, 45 executions
// twin: pass/work_stealing_queue_two_thieves.rs

pub fn wsq_steal_unlocked() {
    let harness = Harness {
        items: 2,
        filled_at_start: false,
        thieves: 2,
        steals_per_thief: 2,
        pops: 2,
        drained_at_end: true,
    };
    let defects = Defects { steal_unlocked: true, ..CORRECT };
    run(harness, defects);
}
