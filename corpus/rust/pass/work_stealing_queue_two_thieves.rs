// Work-stealing queue, two thieves (e2). Two thieves steal twice each while the victim pushes two
// items and pops twice. The lock lets one thief at a time read and move the head, so the thieves
// cannot claim the same item.
// needs: work_stealing_queue
// origin: THE protocol, Cilk-5, PLDI 1998
// verdict: bounded
// preemptions: 3, 19214 executions
// delays rr: 3, 5315 executions
// delays dfs: 3, 4954 executions
// twin: fail/wsq_steal_unlocked.rs

pub fn work_stealing_queue_two_thieves() {
    let harness = Harness {
        items: 2,
        filled_at_start: false,
        thieves: 2,
        steals_per_thief: 2,
        pops: 2,
        drained_at_end: true,
    };
    run(harness, CORRECT);
}
