// A reader copies a global std::shared_ptr while a writer assigns a new one to it, both under a lock.
// Source: the classic; C++ Core Guidelines, CP.2 and the standard's [util.smartptr.shared].
// Buggy: fail/shared_ptr_assigned.cpp
//! check --cflags -std=gnu++20 => bounded bound=2

#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Settings {
    int width;
    int height;
};

std::mutex current_mutex;
std::shared_ptr<Settings> current;

void use_settings() {
    std::shared_ptr<Settings> mine;
    {
        std::lock_guard<std::mutex> lock(current_mutex);
        mine = current;
    }
    assert(mine->width == 2 * mine->height);
}

void change_settings() {
    auto changed = std::make_shared<Settings>(Settings{20, 10});
    std::lock_guard<std::mutex> lock(current_mutex);
    current = changed;
}

int main() {
    current = std::make_shared<Settings>(Settings{4, 2});
    std::thread reader(use_settings);
    std::thread writer(change_settings);
    reader.join();
    writer.join();
    assert(current->width == 20);
    return 0;
}
