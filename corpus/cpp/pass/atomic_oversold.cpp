// Two clerks sell the seats of a train. A clerk takes a seat with compare_exchange, which fails if the number is no longer the one
// that was looked at.
// Source: the classic check, then act, with std::atomic.
// Buggy: fail/atomic_oversold.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> seats = 1;
std::atomic<int> sold = 0;

void sell() {
    int left = seats;
    while (left > 0) {
        if (seats.compare_exchange_strong(left, left - 1)) {
            ++sold;
            return;
        }
    }
}

int main() {
    std::thread first(sell);
    std::thread second(sell);
    first.join();
    second.join();
    assert(sold == 1);
    assert(seats == 0);
    return 0;
}
