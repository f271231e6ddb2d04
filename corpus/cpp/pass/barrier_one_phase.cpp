// Two threads smooth a row of two cells: each one computes the mean of both cells and writes it to its own. A second barrier lies
// between the reading and the writing.
// Source: the classic of iterative solvers; a barrier is needed on either side.
// Buggy: fail/barrier_one_phase.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <barrier>
#include <cassert>
#include <cstddef>
#include <thread>

int main() {
    std::barrier<> together{2};
    int cells[2] = {0, 0};
    auto smooth = [&](std::size_t own, int start) {
        cells[own] = start;
        together.arrive_and_wait();
        int mean = (cells[0] + cells[1]) / 2;
        together.arrive_and_wait();
        cells[own] = mean;
    };
    std::thread left(smooth, 0, 10);
    std::thread right(smooth, 1, 30);
    left.join();
    right.join();
    assert(cells[0] == 20);
    assert(cells[1] == 20);
    return 0;
}
