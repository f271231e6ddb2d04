// Two threads mark one place each. They capture a copy of the loop variable.
// Source: the classic; C++ Core Guidelines, CP.31 and F.53.
// Buggy: fail/loop_variable_captured.cpp
//! check --cflags -std=gnu++20 => verified

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
        threads.emplace_back([&, place] { marks[place] = 1; });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    assert(marks[0] == 1);
    assert(marks[1] == 1);
    assert(marks[2] == 0);
    return 0;
}
