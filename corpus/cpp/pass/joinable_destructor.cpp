// main starts a logger and returns early if the work has failed. The logger is a std::jthread, which joins on every way out.
// Source: Effective Modern C++, item 37; C++ Core Guidelines, CP.25.
// Buggy: fail/joinable_destructor.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> disk_full = false;
std::atomic<int> lines = 0;

void log_line() {
    ++lines;
}

bool save() {
    std::jthread logger(log_line);
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
