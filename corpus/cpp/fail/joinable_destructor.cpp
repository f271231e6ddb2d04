// main starts a logger and returns early if the work has failed. On that way out nobody joins the logger: the destructor of a joinable
// std::thread ends the program.
// Source: Effective Modern C++, item 37; C++ Core Guidelines, CP.25.
// Repaired: pass/joinable_destructor.cpp
//! check --cflags -std=gnu++20 => bug kind=abort bound=1

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> disk_full = false;
std::atomic<int> lines = 0;

void log_line() {
    ++lines;
}

bool save() {
    std::thread logger(log_line);
    if (disk_full) {
        return false;
    }
    logger.join();
    return true;
}

int main() {
    std::thread disk([] { disk_full = true; });
    bool saved = save();
    disk.join();
    assert(lines == 1);
    assert(saved || disk_full);
    return 0;
}
