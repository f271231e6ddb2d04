// Two threads are to mark one place each. They capture the loop variable by reference: when they run, it has gone on, and they mark
// the place that it names by then.
// Source: the classic; C++ Core Guidelines, CP.31 and F.53.
// Repaired: pass/loop_variable_captured.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=0

#include <cassert>
#include <cstddef>
#include <thread>
#include <vector>

int main() {
    // The last place belongs to nobody.
    int marks[3] = {0, 0, 0};
    std::vector<std::thread> threads;
    threads.reserve(2);
    std::size_t place = 0;
    for (; place < 2; ++place) {
        threads.emplace_back([&] { marks[place] = 1; });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    assert(marks[0] == 1);
    assert(marks[1] == 1);
    assert(marks[2] == 0);
    return 0;
}
