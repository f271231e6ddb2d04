// A lock-free stack whose pop puts the node that it has taken on a list; the nodes are deleted with the stack, when nobody pops any more.
// Source: Treiber's stack; C++ Concurrency in Action, section 7.2.2.
// Buggy: fail/lock_free_stack.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <thread>

class Stack {
public:
    ~Stack() {
        while (pop() != 0) {
        }
        Node* node = popped_;
        while (node != nullptr) {
            Node* rest = node->also_popped;
            delete node;
            node = rest;
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
        node->also_popped = popped_.load();
        while (!popped_.compare_exchange_strong(node->also_popped, node)) {
        }
        return value;
    }

private:
    struct Node {
        int value;
        Node* next;
        Node* also_popped = nullptr;
    };

    std::atomic<Node*> head_ = nullptr;
    std::atomic<Node*> popped_ = nullptr;
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
