// A reader copies a global std::shared_ptr while a writer assigns a new one to it. The counts are atomic, the pointer itself is not: the
// reader can take the address of an object that the writer frees before the reader has counted itself in.
// Source: the classic; C++ Core Guidelines, CP.2 and the standard's [util.smartptr.shared].
// Repaired: pass/shared_ptr_assigned.cpp
//! check --cflags -std=gnu++20 => bug kind=use-after-free bound=1

#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Settings {
    int width;
    int height;
};

std::shared_ptr<Settings> current;

void use_settings() {
    std::shared_ptr<Settings> mine = current;
    assert(mine->width == 2 * mine->height);
}

void change_settings() {
    auto changed = std::make_shared<Settings>(Settings{20, 10});
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
