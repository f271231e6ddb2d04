// Work-stealing queue, big (eB). One thief steals twice while the victim pushes two items and pops
// twice. Victim and thief each claim an item before they look for the other, and a conflict over
// the last item is settled under the lock, so each item is taken exactly once.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: bounded
// preemptions: 3, 1406 executions
// delays rr: 3, 1406 executions
// delays dfs: 4, 8285 executions
// twin: fail/wsq_pop_reads_head_first.rs, fail/wsq_steal_checks_first.rs

pub fn work_stealing_queue_big() {
    let harness = Harness {
        items: 2,
        filled_at_start: false,
        thieves: 1,
        steals_per_thief: 2,
        pops: 2,
        drained_at_end: true,
    };
    run(harness, CORRECT);
}
