// Two clerks sell the seats of a train. The number of seats is atomic, but a clerk looks whether there is one left and takes it in two
// steps: two of them sell the last seat.
// Source: the classic check, then act, with std::atomic.
// Repaired: pass/atomic_oversold.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> seats = 1;
std::atomic<int> sold = 0;

void sell() {
    if (seats > 0) {
        // The other clerk may sell it here.
        --seats;
        ++sold;
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
