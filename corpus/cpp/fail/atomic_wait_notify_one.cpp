// Two threads wait with std::atomic::wait for a door to open. main opens it and notifies one of them; if both are asleep, the other one
// stays so.
// Source: our own; notify_one where the change concerns all.
// Repaired: pass/atomic_wait_notify_one.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=1

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> door_open = 0;
std::atomic<int> inside = 0;

void enter() {
    door_open.wait(0);
    ++inside;
}

int main() {
    std::thread first(enter);
    std::thread second(enter);
    door_open.store(1);
    door_open.notify_one();
    first.join();
    second.join();
    assert(inside == 2);
    return 0;
}
