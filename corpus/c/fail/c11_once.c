// Settings that are read when they are first needed, by call_once. But the flag is a local variable, so each call has one of its own, and
// the settings are read twice.
// Source: our own; C11 7.26.2.1.
// Repaired: pass/c11_once.c
//! check => bug kind=assertion bound=0

#include <assert.h>
#include <threads.h>

static int setting;
static int reads;

static void read_settings(void) {
    reads++;
    setting = 42;
}

static int get(void) {
    once_flag flag = ONCE_FLAG_INIT;
    call_once(&flag, read_settings);
    return setting;
}

static int work(void *unused) {
    (void)unused;
    return get();
}

int main(void) {
    thrd_t threads[2];
    thrd_create(&threads[0], work, NULL);
    thrd_create(&threads[1], work, NULL);
    for (int i = 0; i < 2; i++) {
        int result;
        thrd_join(threads[i], &result);
        assert(result == 42);
    }
    assert(reads == 1);
    return 0;
}
