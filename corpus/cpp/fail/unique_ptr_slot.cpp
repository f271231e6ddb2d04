// A job lies in a slot, and two workers look for it there. To move a std::unique_ptr out is to read it and to clear it: two workers can
// both read it, and the second one works on a job that the first one has done and freed.
// Source: our own; a move is no atomic step.
// Repaired: pass/unique_ptr_slot.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=1

#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

struct Job {
    int points;
};

std::unique_ptr<Job> slot;
std::atomic<int> score = 0;

std::unique_ptr<Job> take() {
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
