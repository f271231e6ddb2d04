// Treiber stack with a version (g). A stack of nodes, linked by index; one task pops a node, the
// other pops two and pushes the first back. The head word carries a version that every change
// raises, so a compare-and-swap fails if the stack has changed at all since the head was read.
// origin: Treiber 1986; the ABA problem, IBM System/370 manual
// verdict: verified, 31807 executions
// preemptions: 3, 100 executions
// delays rr: 3, 100 executions
// delays dfs: 3, 121 executions
// twin: fail/treiber_aba.rs

const SC: Ordering = Ordering::SeqCst;

/// The index that ends the list; no node has it.
const NONE: usize = 0;

/// The head word is a node's index plus this many times the version.
const VERSION: usize = 256;

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
            let node = head % VERSION;
            if node == NONE {
                return NONE;
            }
            let next = self.next[node].load(SC);
            if self.replace_head(head, next) {
                return node;
            }
        }
    }

    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SC);
            self.next[node].store(head % VERSION, SC);
            if self.replace_head(head, node) {
                return;
            }
        }
    }

    /// Makes `node` the head, unless the stack has changed since `head` was read.
    fn replace_head(&self, head: usize, node: usize) -> bool {
        let new_head = (head / VERSION + 1) * VERSION + node;
        self.head.compare_exchange(head, new_head, SC, SC).is_ok()
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
