// Double-checked locking with an atomic pointer that is stored with release and first looked at with acquire.
// Source: Meyers and Alexandrescu, C++ and the Perils of Double-Checked Locking, 2004; C++ Core Guidelines, CP.110.
// Buggy: fail/double_checked_relaxed.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Dictionary {
    int words = 1000;
};

std::mutex making;
std::atomic<Dictionary*> dictionary = nullptr;

Dictionary& instance() {
    Dictionary* made = dictionary.load(std::memory_order_acquire);
    if (made == nullptr) {
        std::lock_guard<std::mutex> lock(making);
        made = dictionary.load(std::memory_order_relaxed);
        if (made == nullptr) {
            made = new Dictionary;
            dictionary.store(made, std::memory_order_release);
        }
    }
    return *made;
}

int main() {
    int words[2] = {0, 0};
    std::thread first([&] { words[0] = instance().words; });
    std::thread second([&] { words[1] = instance().words; });
    first.join();
    second.join();
    assert(words[0] == 1000);
    assert(words[1] == 1000);
    delete dictionary.load();
    return 0;
}
