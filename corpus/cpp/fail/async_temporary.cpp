// main starts a task that waits for a signal, and then gives the signal. The future that std::async returns is not kept: its
// destructor waits for the task at the end of that statement, before the signal has been given.
// Source: Effective Modern C++, item 38: the destructors of futures.
// Repaired: pass/async_temporary.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=0

#include <cassert>
#include <future>

int main() {
    std::promise<int> signal;
    std::future<int> given = signal.get_future();
    int received = 0;
    static_cast<void>(std::async(std::launch::async, [&] { received = given.get(); }));
    signal.set_value(3);
    assert(received == 3);
    return 0;
}
