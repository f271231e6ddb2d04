// A worker waits for its next order until it is asked to stop. A stop callback gives the semaphore on which the worker waits.
// Source: our own; a stop token has to reach the thread where it sleeps.
// Buggy: fail/jthread_stop_ignored.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <semaphore>
#include <stop_token>
#include <thread>

std::counting_semaphore<4> bell{0};
std::atomic<int> orders = 0;
int served = 0;

void serve(std::stop_token stop) {
    std::stop_callback wake(stop, [] { bell.release(); });
    while (!stop.stop_requested()) {
        bell.acquire();
        served += orders.exchange(0);
    }
}

int main() {
    {
        std::jthread waiter(serve);
        ++orders;
        bell.release();
    }
    assert(served + orders == 1);
    return 0;
}
