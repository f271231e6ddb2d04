// Two threads pay money into an account. Each one reads the balance under the lock, lets the lock go, and writes the new balance under
// the lock again. No access is a data race, but a payment that falls between the two sections is overwritten.
// Source: the classic lost update, with std::mutex.
// Repaired: pass/mutex_two_sections.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <mutex>
#include <thread>

class Account {
public:
    void deposit(int amount) {
        int seen = balance();
        // The other payment may come here.
        std::lock_guard<std::mutex> lock(mutex_);
        balance_ = seen + amount;
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
