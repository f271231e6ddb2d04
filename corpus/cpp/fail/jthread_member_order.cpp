// A sampler with a jthread and the vector that it writes to. Members are destroyed from the last to the first: the vector goes first,
// while the thread still runs, and only then is the thread asked to stop and joined.
// Source: our own; a thread belongs behind the members that it uses.
// Repaired: pass/jthread_member_order.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=0

#include <cassert>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <vector>

class Sampler {
public:
    explicit Sampler(int& taken) : taken_(taken), samples_(2) {
        thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
    }

private:
    void run(std::stop_token stop) {
        std::size_t next = 0;
        do {
            samples_[next] = 1;
            ++next;
        } while (next < samples_.size() && !stop.stop_requested());
        taken_ = static_cast<int>(next);
    }

    int& taken_;
    std::jthread thread_;
    std::vector<int> samples_;
};

int main() {
    int taken = 0;
    {
        Sampler sampler(taken);
    }
    assert(taken == 1 || taken == 2);
    return 0;
}
