// A lock-free stack whose consumer waits for items. Nodes are pushed by compare-exchange; who finds
// the stack empty yields and tries again.
// origin: Treiber 1986
// verdict: bounded
// preemptions: 2, 55 executions
// delays rr: 2, 55 executions
// delays dfs: 3, 137 executions
// unfair: incomplete
// twin: fail/stack_wait.rs

/// Nodes are numbered from 1; 0 is none.
struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 3],
}

impl Stack {
    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SC);
            self.next[node].store(head, SC);
            if self.head.compare_exchange(head, node, SC, SC).is_ok() {
                return;
            }
        }
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
