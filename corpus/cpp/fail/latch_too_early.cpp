// main waits at a latch until two workers have written their parts. A worker counts the latch down before it writes: main can be past
// the latch while a part is still missing.
// Source: our own.
// Repaired: pass/latch_too_early.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <latch>
#include <thread>

int main() {
    std::latch written{2};
    int parts[2] = {0, 0};
    auto work = [&](int part) {
        written.count_down();
        parts[part] = part + 1;
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
