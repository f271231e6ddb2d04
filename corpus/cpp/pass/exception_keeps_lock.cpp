// Two orders against one stock, with a guard that gives the lock back when an exception passes.
// Source: the classic; C++ Core Guidelines, CP.20.
// Buggy: fail/exception_keeps_lock.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex stock_mutex;
int stock = 5;

void order(int amount) {
    std::lock_guard<std::mutex> lock(stock_mutex);
    if (amount > stock) {
        throw std::runtime_error("out of stock");
    }
    stock -= amount;
}

void customer(int amount) {
    try {
        order(amount);
    } catch (const std::runtime_error&) {
        // The customer goes home with nothing.
    }
}

int main() {
    std::thread modest(customer, 2);
    std::thread greedy(customer, 9);
    modest.join();
    greedy.join();
    assert(stock == 3);
    return 0;
}
