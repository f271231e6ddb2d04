// Two threads see to it that a library is initialised once, with std::call_once.
// Source: the classic; the reason for std::call_once.
// Buggy: fail/once_by_hand.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag initialised;
std::atomic<int> initialisations = 0;

void initialise() {
    ++initialisations;
}

void use_library() {
    std::call_once(initialised, initialise);
    assert(initialisations == 1);
}

int main() {
    std::thread first(use_library);
    std::thread second(use_library);
    first.join();
    second.join();
    return 0;
}
