// Two threads see to it that a library is initialised once, with a flag of their own that says whether it has been. Both can find the
// flag unset, and the library is initialised twice.
// Source: the classic; the reason for std::call_once.
// Repaired: pass/once_by_hand.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::atomic<bool> initialised = false;
std::atomic<int> initialisations = 0;

void initialise() {
    ++initialisations;
}

void use_library() {
    if (!initialised) {
        // The other thread may come by here.
        initialise();
        initialised = true;
    }
    assert(initialisations == 1);
}

int main() {
    std::thread first(use_library);
    std::thread second(use_library);
    first.join();
    second.join();
    return 0;
}
