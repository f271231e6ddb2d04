// A connection that two threads may close. To reset a std::unique_ptr is to read it, to clear it and to delete what it held: both
// threads can read the same buffer before either clears the pointer, and it is freed twice.
// Source: our own.
// Repaired: pass/unique_ptr_reset.cpp
//! check --cflags -std=gnu++20 => bug kind=double-free bound=1

#include <cassert>
#include <memory>
#include <thread>

class Connection {
public:
    void close() {
        buffer_.reset();
    }

    bool is_open() const { return buffer_ != nullptr; }

private:
    std::unique_ptr<char[]> buffer_{new char[16]};
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
