// A job lies in a slot, and two workers look for it there. They take it out under a lock.
// Source: our own; a move is no atomic step.
// Buggy: fail/unique_ptr_slot.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

struct Job {
    int points;
};

std::mutex slot_mutex;
std::unique_ptr<Job> slot;
std::atomic<int> score = 0;

std::unique_ptr<Job> take() {
    std::lock_guard<std::mutex> lock(slot_mutex);
    return std::move(slot);
}

void work() {
    if (std::unique_ptr<Job> job = take()) {
        score += job->points;
    }
}

int main() {
    slot = std::make_unique<Job>(Job{5});
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
    assert(score == 5);
    return 0;
}
