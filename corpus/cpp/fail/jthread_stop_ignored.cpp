// A worker waits for its next order until it is asked to stop. The request to stop only sets the token: nobody gives the semaphore on
// which the worker waits, and the jthread is joined for ever.
// Source: our own; a stop token has to reach the thread where it sleeps.
// Repaired: pass/jthread_stop_ignored.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=1

#include <atomic>
#include <cassert>
#include <semaphore>
#include <stop_token>
#include <thread>

std::counting_semaphore<4> bell{0};
std::atomic<int> orders = 0;
int served = 0;

void serve(std::stop_token stop) {
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
