// A ticket machine whose guard has a name and lives to the end of the function.
// Source: C++ Core Guidelines, CP.44.
// Buggy: fail/guard_not_kept.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <mutex>
#include <thread>

class TicketMachine {
public:
    int draw() {
        std::lock_guard<std::mutex> guard{mutex_};
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
