// A scoreboard hands out a reference to a score, under a lock that it gives back. Another thread appends a score: the vector moves to a
// larger place, and the reference points into the old one, which is freed.
// Source: the classic; references into a vector end when it grows.
// Repaired: pass/vector_reference.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=1

#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Scoreboard {
public:
    const int& best() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return scores_.front();
    }

    void add(int score) {
        std::lock_guard<std::mutex> lock(mutex_);
        scores_.push_back(score);
    }

private:
    mutable std::mutex mutex_;
    std::vector<int> scores_ = std::vector<int>(1, 90);
};

int main() {
    Scoreboard scoreboard;
    int announced = 0;
    std::thread speaker([&] { announced = scoreboard.best(); });
    std::thread referee([&] { scoreboard.add(70); });
    speaker.join();
    referee.join();
    assert(announced == 90);
    return 0;
}
