// main starts a task that waits for a signal, and then gives the signal. It keeps the future that std::async returns.
// Source: Effective Modern C++, item 38: the destructors of futures.
// Buggy: fail/async_temporary.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <future>

int main() {
    std::promise<int> signal;
    std::future<int> given = signal.get_future();
    int received = 0;
    std::future<void> task = std::async(std::launch::async, [&] { received = given.get(); });
    signal.set_value(3);
    task.get();
    assert(received == 3);
    return 0;
}
