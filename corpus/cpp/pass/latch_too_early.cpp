// main waits at a latch until two workers have written their parts. A worker counts the latch down when it has written.
// Source: our own.
// Buggy: fail/latch_too_early.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <latch>
#include <thread>

int main() {
    std::latch written{2};
    int parts[2] = {0, 0};
    auto work = [&](int part) {
        parts[part] = part + 1;
        written.count_down();
    };
    std::thread first(work, 0);
    std::thread second(work, 1);
    written.wait();
    int sum = parts[0] + parts[1];
    first.join();
    second.join();
    assert(sum == 3);
    return 0;
}
