// Work-stealing queue, one item (e4). One thief and the victim are after the only item. Whoever
// sees a conflict steps back: the thief gives up, the victim waits for the lock and looks again, so
// exactly one of them gets the item.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: verified, 955 executions
// preemptions: 3, 83 executions
// delays rr: 3, 83 executions
// delays dfs: 3, 112 executions
// twin: fail/wsq_pop_no_recheck.rs

pub fn work_stealing_queue_one_item() {
    let harness = Harness {
        items: 1,
        filled_at_start: true,
        thieves: 1,
        steals_per_thief: 1,
        pops: 1,
        drained_at_end: false,
    };
    run(harness, CORRECT);
}
