// A thread waits with std::atomic::wait until the light has been green once more. The other one counts the green phases, and a count
// is never undone.
// Source: our own; the standard's [atomics.wait]: a change that is undone can be missed.
// Buggy: fail/atomic_wait_pulse.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <thread>

// How often the light has been green.
std::atomic<int> green = 0;
std::atomic<int> crossed = 0;

void cross() {
    green.wait(0);
    ++crossed;
}

void switch_light() {
    green.fetch_add(1);
    green.notify_all();
}

int main() {
    std::thread walker(cross);
    std::thread light(switch_light);
    walker.join();
    light.join();
    assert(crossed == 1);
    return 0;
}
