// A thread waits for a reply. It has let the lock go that it held for sending the request, so that the wait gives back all there is.
// Source: our own; the reason why a recursive lock and a condition variable do not go together.
// Buggy: fail/recursive_wait.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Connection {
public:
    int call(int request) {
        {
            std::unique_lock<std::recursive_mutex> lock(mutex_);
            request_ = request;
        }
        return wait_for_reply();
    }

    void deliver(int reply) {
        std::lock_guard<std::recursive_mutex> lock(mutex_);
        reply_ = reply;
        arrived_ = true;
        changed_.notify_all();
    }

private:
    int wait_for_reply() {
        std::unique_lock<std::recursive_mutex> lock(mutex_);
        changed_.wait(lock, [&] { return arrived_; });
        return reply_;
    }

    std::recursive_mutex mutex_;
    std::condition_variable_any changed_;
    int request_ = 0;
    int reply_ = 0;
    bool arrived_ = false;
};

int main() {
    Connection connection;
    int reply = 0;
    std::thread caller([&] { reply = connection.call(1); });
    std::thread server([&] { connection.deliver(7); });
    caller.join();
    server.join();
    assert(reply == 7);
    return 0;
}
