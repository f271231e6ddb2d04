// Two threads withdraw from an account that has money for one of them. The other one keeps its exception as a std::exception_ptr, and
// main throws it again after the join.
// Source: our own; C++ Concurrency in Action, section 4.2.4.
// Buggy: fail/exception_in_thread.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex balance_mutex;
int balance = 100;

void withdraw(int amount) {
    std::lock_guard<std::mutex> lock(balance_mutex);
    if (amount > balance) {
        throw std::runtime_error("not enough money");
    }
    balance -= amount;
}

int main() {
    std::exception_ptr failures[2];
    auto customer = [&](int number) {
        try {
            withdraw(80);
        } catch (...) {
            failures[number] = std::current_exception();
        }
    };
    std::thread first(customer, 0);
    std::thread second(customer, 1);
    first.join();
    second.join();
    int refused = 0;
    for (const std::exception_ptr& failure : failures) {
        try {
            if (failure) {
                std::rethrow_exception(failure);
            }
        } catch (const std::runtime_error&) {
            ++refused;
        }
    }
    assert(refused == 1);
    assert(balance == 20);
    return 0;
}
