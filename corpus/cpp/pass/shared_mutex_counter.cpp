// Readers of a table count their hits while they hold the shared lock. The counter is atomic, since other readers are at it too.
// Source: the classic write under a read lock.
// Buggy: fail/shared_mutex_counter.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

class Table {
public:
    int read() {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        ++hits_;
        return value_;
    }

    void write(int value) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        value_ = value;
    }

    int hits() const { return hits_; }

private:
    std::shared_mutex mutex_;
    int value_ = 1;
    std::atomic<int> hits_ = 0;
};

int main() {
    Table table;
    int seen = 0;
    std::thread first([&] { table.read(); });
    std::thread second([&] { seen = table.read(); });
    table.write(2);
    first.join();
    second.join();
    assert(seen == 1 || seen == 2);
    assert(table.hits() == 2);
    return 0;
}
