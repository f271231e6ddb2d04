// A lock-free stack whose pop deletes the node that it has taken. Another pop can have read the same head before that: it follows the
// next pointer of a node that has been freed.
// Source: Treiber's stack; C++ Concurrency in Action, section 7.2.2.
// Repaired: pass/lock_free_stack.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=1

#include <atomic>
#include <cassert>
#include <thread>

class Stack {
public:
    ~Stack() {
        while (pop() != 0) {
        }
    }

    void push(int value) {
        Node* node = new Node{value, head_.load()};
        while (!head_.compare_exchange_strong(node->next, node)) {
        }
    }

    // The value on top, or 0 if there is none.
    int pop() {
        Node* node = head_.load();
        while (node != nullptr && !head_.compare_exchange_strong(node, node->next)) {
        }
        if (node == nullptr) {
            return 0;
        }
        int value = node->value;
        delete node;
        return value;
    }

private:
    struct Node {
        int value;
        Node* next;
    };

    std::atomic<Node*> head_ = nullptr;
};

int main() {
    Stack stack;
    stack.push(1);
    stack.push(2);
    int popped[2] = {0, 0};
    std::thread first([&] { popped[0] = stack.pop(); });
    std::thread second([&] { popped[1] = stack.pop(); });
    first.join();
    second.join();
    assert(popped[0] + popped[1] == 3);
    return 0;
}
