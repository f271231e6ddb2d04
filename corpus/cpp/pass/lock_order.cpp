// Two transfers in opposite directions. std::scoped_lock takes both locks without the danger of a deadlock.
// Source: the classic; C++ Core Guidelines, CP.21.
// Buggy: fail/lock_order.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int balance = 100;
};

void transfer(Account& from, Account& to, int amount) {
    std::scoped_lock lock(from.mutex, to.mutex);
    from.balance -= amount;
    to.balance += amount;
}

int main() {
    Account checking;
    Account savings;
    std::thread saver([&] { transfer(checking, savings, 30); });
    std::thread spender([&] { transfer(savings, checking, 10); });
    saver.join();
    spender.join();
    assert(checking.balance == 80);
    assert(savings.balance == 120);
    return 0;
}
