// Work-stealing queue whose pop does not look again (e4). One thief and the victim are after the
// only item. The victim notices a conflict and takes the lock, but then does not look whether the
// thief has taken the item: if it has, both have it.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: bug panic
// preemptions: 1, 2 executions
// delays rr: 1, 2 executions
// delays dfs: 0, 1 executions
// twin: pass/work_stealing_queue_one_item.rs

pub fn wsq_pop_no_recheck() {
    let harness = Harness {
        items: 1,
        filled_at_start: true,
        thieves: 1,
        steals_per_thief: 1,
        pops: 1,
        drained_at_end: false,
    };
    let defects = Defects { pop_no_recheck: true, ..CORRECT };
    run(harness, defects);
}
