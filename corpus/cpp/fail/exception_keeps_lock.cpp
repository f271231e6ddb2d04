// Two orders against one stock, with a lock that is taken and given back by hand. An order that cannot be met throws an exception past
// the unlock: the lock stays taken, and the next order waits for ever.
// Source: the classic; C++ Core Guidelines, CP.20.
// Repaired: pass/exception_keeps_lock.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=0

#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex stock_mutex;
int stock = 5;

void order(int amount) {
    stock_mutex.lock();
    if (amount > stock) {
        throw std::runtime_error("out of stock");
    }
    stock -= amount;
    stock_mutex.unlock();
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
