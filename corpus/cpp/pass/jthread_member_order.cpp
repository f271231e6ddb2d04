// A sampler with a vector and the jthread that writes to it. Members are destroyed from the last to the first: the thread is asked to
// stop and joined before the vector goes.
// Source: our own; a thread belongs behind the members that it uses.
// Buggy: fail/jthread_member_order.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

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
    std::vector<int> samples_;
    std::jthread thread_;
};

int main() {
    int taken = 0;
    {
        Sampler sampler(taken);
    }
    assert(taken == 1 || taken == 2);
    return 0;
}
