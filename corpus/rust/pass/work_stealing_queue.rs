// Work-stealing queue, small (e). One thief steals once while the victim pops twice from a queue of
// two items. Victim and thief each claim an item before they look for the other, and a conflict
// over the last item is settled under the lock, so each item is taken exactly once.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: verified, 19245 executions
// preemptions: 3, 275 executions
// delays rr: 3, 275 executions
// delays dfs: 3, 224 executions
// twin: none

pub fn work_stealing_queue() {
    let harness = Harness {
        items: 2,
        filled_at_start: true,
        thieves: 1,
        steals_per_thief: 1,
        pops: 2,
        drained_at_end: true,
    };
    run(harness, CORRECT);
}
