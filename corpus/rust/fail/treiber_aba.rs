// Treiber stack with ABA (g). A stack of nodes, linked by index; one task pops a node, the other
// pops two and pushes the first back. A pop preempted before its compare-and-swap finds the same
// head as before, but the next node it has read is no longer on the stack, and puts it there again.
// origin: Treiber 1986; the ABA problem, IBM System/370 manual
// verdict: bug panic
// preemptions: 1, 4 executions
// delays rr: 1, 4 executions
// delays dfs: 2, 13 executions
// twin: pass/treiber_aba.rs

const SC: Ordering = Ordering::SeqCst;

/// The index that ends the list; no node has it.
const NONE: usize = 0;

struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 4],
}

impl Stack {
    fn of_nodes_1_2_3() -> Self {
        Stack {
            head: AtomicUsize::new(1),
            next: [AtomicUsize::new(NONE), AtomicUsize::new(2), AtomicUsize::new(3), AtomicUsize::new(NONE)],
        }
    }

    fn pop(&self) -> usize {
        loop {
            let head = self.head.load(SC);
            if head == NONE {
                return NONE;
            }
            let next = self.next[head].load(SC);
            // That the head is the same does not mean that its next node is.
            if self.head.compare_exchange(head, next, SC, SC).is_ok() {
                return head;
            }
        }
    }

    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SC);
            self.next[node].store(head, SC);
            if self.head.compare_exchange(head, node, SC, SC).is_ok() {
                return;
            }
        }
    }
}

pub fn treiber_aba() {
    let stack = Arc::new(Stack::of_nodes_1_2_3());
    let other = {
        let stack = stack.clone();
        thread::spawn(move || {
            let first = stack.pop();
            let second = stack.pop();
            if first != NONE {
                stack.push(first);
            }
            second
        })
    };
    let mine = stack.pop();
    let others = other.join().unwrap();

    // Each node is with this task, with the other one, or still on the stack.
    let mut seen = [false; 4];
    let mut claim = |node: usize| {
        assert!(!seen[node], "a node has two owners");
        seen[node] = true;
    };
    for node in [mine, others] {
        if node != NONE {
            claim(node);
        }
    }
    loop {
        let node = stack.pop();
        if node == NONE {
            break;
        }
        claim(node);
    }
    assert!(seen[1..].iter().all(|&seen| seen), "a node was lost");
}
