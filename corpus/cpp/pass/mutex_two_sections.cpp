// Two threads pay money into an account. The lock is held from the reading of the balance to the writing of the new one.
// Source: the classic lost update, with std::mutex.
// Buggy: fail/mutex_two_sections.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <thread>

class Account {
public:
    void deposit(int amount) {
        std::lock_guard<std::mutex> lock(mutex_);
        balance_ = balance_ + amount;
    }

    int balance() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return balance_;
    }

private:
    mutable std::mutex mutex_;
    int balance_ = 0;
};

int main() {
    Account account;
    std::thread first([&] { account.deposit(10); });
    std::thread second([&] { account.deposit(20); });
    first.join();
    second.join();
    assert(account.balance() == 30);
    return 0;
}
