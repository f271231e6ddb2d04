// A base class owns a thread that calls a virtual function, and joins it in its destructor. By then the derived part of the object is
// gone: a thread that has not made its call yet calls a function that is pure virtual.
// Source: the classic; no virtual calls while an object is being destroyed, C++ Core Guidelines, C.82.
// Repaired: pass/destructor_virtual_call.cpp
// clang 14 leaves out the hooks by which the race would be seen, so only gcc is asked.
//! check --cc g++ --cflags -std=gnu++20 => bug kind=abort bound=0

#include <cassert>
#include <thread>

class Service {
public:
    virtual ~Service() { stop(); }

    void start() {
        thread_ = std::thread([this] { run(); });
    }

    void stop() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }

private:
    virtual void run() = 0;

    std::thread thread_;
};

class Printer : public Service {
public:
    explicit Printer(int& pages) : pages_(pages) {}

private:
    void run() override { pages_ = 3; }

    int& pages_;
};

int main() {
    int pages = 0;
    {
        Printer printer(pages);
        printer.start();
    }
    assert(pages == 3);
    return 0;
}
