// A stack whose push is two steps. Of two nodes that are pushed at once one is lost, and the
// consumer waits for it for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 2, 6 executions
// dfs: 987 executions
// twin: pass/stack_wait.rs

/// Nodes are numbered from 1; 0 is none.
struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 3],
}

impl Stack {
    fn push(&self, node: usize) {
        let head = self.head.load(SC);
        self.next[node].store(head, SC);
        self.head.store(node, SC);
    }

    fn pop(&self) -> usize {
        loop {
            let head = self.head.load(SC);
            if head == 0 {
                thread::yield_now();
            } else if self.head.compare_exchange(head, self.next[head].load(SC), SC, SC).is_ok() {
                return head;
            }
        }
    }
}

pub fn stack_wait() {
    let stack = Arc::new(Stack { head: AtomicUsize::new(0), next: [const { AtomicUsize::new(0) }; 3] });
    let other = {
        let stack = stack.clone();
        thread::spawn(move || stack.push(2))
    };
    stack.push(1);
    assert_eq!(stack.pop() + stack.pop(), 3);
    other.join().unwrap();
}
