// A connection that two threads may close. The one that is first says so with an atomic exchange; the other one leaves the buffer alone.
// Source: our own.
// Buggy: fail/unique_ptr_reset.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

class Connection {
public:
    void close() {
        if (closed_.exchange(true)) {
            return;
        }
        buffer_.reset();
    }

    bool is_open() const { return buffer_ != nullptr; }

private:
    std::unique_ptr<char[]> buffer_{new char[16]};
    std::atomic<bool> closed_ = false;
};

int main() {
    Connection connection;
    std::thread client([&] { connection.close(); });
    std::thread server([&] { connection.close(); });
    client.join();
    server.join();
    assert(!connection.is_open());
    return 0;
}
