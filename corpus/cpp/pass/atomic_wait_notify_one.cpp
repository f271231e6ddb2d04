// Two threads wait with std::atomic::wait for a door to open. main opens it and notifies all of them.
// Source: our own; notify_one where the change concerns all.
// Buggy: fail/atomic_wait_notify_one.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

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
    door_open.notify_all();
    first.join();
    second.join();
    assert(inside == 2);
    return 0;
}
