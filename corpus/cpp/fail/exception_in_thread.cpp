// Two threads withdraw from an account that has money for one of them. The other one gets an exception that nobody catches in its
// thread, which ends the program: an exception does not pass from a thread to the one that joins it.
// Source: our own; C++ Concurrency in Action, section 4.2.4.
// Repaired: pass/exception_in_thread.cpp
//! check --cflags -std=gnu++20 => bug kind=exception bound=0

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
        withdraw(80);
        failures[number] = nullptr;
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
