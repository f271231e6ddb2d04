// A ticket machine whose guard has no name: it is a temporary, which unlocks at the end of its own statement. The lines below it run
// without the lock, and two customers can be given the same number.
// Source: C++ Core Guidelines, CP.44.
// Repaired: pass/guard_not_kept.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <mutex>
#include <thread>

class TicketMachine {
public:
    int draw() {
        std::lock_guard<std::mutex>{mutex_};
        int ticket = next_;
        next_ = ticket + 1;
        return ticket;
    }

private:
    std::mutex mutex_;
    int next_ = 1;
};

int main() {
    TicketMachine machine;
    int mine = 0;
    int yours = 0;
    std::thread first([&] { mine = machine.draw(); });
    std::thread second([&] { yours = machine.draw(); });
    first.join();
    second.join();
    assert(mine != yours);
    assert(mine + yours == 3);
    return 0;
}
