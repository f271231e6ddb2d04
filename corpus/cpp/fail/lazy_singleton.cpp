// A configuration that is made when it is first asked for. Two threads can both find that it has not been made, and make it twice: one
// of them holds a configuration that nobody else has.
// Source: the classic singleton; a function-local static is made once since C++11.
// Repaired: pass/lazy_singleton.cpp
//! check --cflags -std=gnu++20 => bug kind=assertion bound=1

#include <cassert>
#include <thread>

struct Configuration {
    int volume = 11;

    static Configuration& instance() {
        static Configuration* only = nullptr;
        if (only == nullptr) {
            only = new Configuration;
        }
        return *only;
    }
};

int main() {
    Configuration* seen[2] = {nullptr, nullptr};
    std::thread first([&] { seen[0] = &Configuration::instance(); });
    std::thread second([&] { seen[1] = &Configuration::instance(); });
    first.join();
    second.join();
    assert(seen[0] == seen[1]);
    assert(seen[0]->volume == 11);
    return 0;
}
