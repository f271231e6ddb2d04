// Two transfers in opposite directions. Each one locks the account it takes from and then the account it gives to. If both have their
// first lock, each waits for the other's.
// Source: the classic; C++ Core Guidelines, CP.21.
// Repaired: pass/lock_order.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=1

#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int balance = 100;
};

void transfer(Account& from, Account& to, int amount) {
    std::lock_guard<std::mutex> lock_from(from.mutex);
    // The opposite transfer may take the other lock here.
    std::lock_guard<std::mutex> lock_to(to.mutex);
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
