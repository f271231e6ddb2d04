// A thread waits with std::atomic::wait until a light is no longer red. The other one turns the light green, notifies, and turns it red
// again. The waiting thread is woken, but looks at the light only when it runs: it sees red, as before, and sleeps for ever.
// Source: our own; the standard's [atomics.wait]: a change that is undone can be missed.
// Repaired: pass/atomic_wait_pulse.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=0

#include <atomic>
#include <cassert>
#include <thread>

// 1 while the light is green.
std::atomic<int> green = 0;
std::atomic<int> crossed = 0;

void cross() {
    green.wait(0);
    ++crossed;
}

void switch_light() {
    green.store(1);
    green.notify_all();
    green.store(0);
}

int main() {
    std::thread walker(cross);
    std::thread light(switch_light);
    walker.join();
    light.join();
    assert(crossed == 1);
    return 0;
}
