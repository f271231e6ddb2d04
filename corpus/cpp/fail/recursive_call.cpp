// A journal that two threads write to. When it is full, append calls flush, and both take the lock: the thread that fills the journal
// waits for a std::mutex that it holds itself.
// Source: our own; the everyday reason for std::recursive_mutex.
// Repaired: pass/recursive_call.cpp
//! check --cflags -std=gnu++20 => bug kind=deadlock bound=0

#include <cassert>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

class Journal {
public:
    void append(int entry) {
        std::lock_guard lock(mutex_);
        pending_.push_back(entry);
        if (pending_.size() == 2) {
            flush();
        }
    }

    void flush() {
        std::lock_guard lock(mutex_);
        written_ += pending_.size();
        pending_.clear();
    }

    std::size_t written() const { return written_; }

private:
    std::mutex mutex_;
    std::vector<int> pending_;
    std::size_t written_ = 0;
};

int main() {
    Journal journal;
    std::thread first([&] { journal.append(1); });
    std::thread second([&] { journal.append(2); });
    first.join();
    second.join();
    assert(journal.written() == 2);
    return 0;
}
