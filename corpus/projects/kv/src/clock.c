#include "clock.h"

#include "status.h"

#include <errno.h>

uint64_t kv_now_ms(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        kv_die("clock_gettime", errno);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct timespec kv_timespec_of(uint64_t time_ms) {
    return (struct timespec){
        .tv_sec = (time_t)(time_ms / 1000),
        .tv_nsec = (long)(time_ms % 1000) * 1000000,
    };
}

void kv_sleep_until(uint64_t time_ms) {
    for (uint64_t now = kv_now_ms(); now < time_ms; now = kv_now_ms()) {
        struct timespec rest = kv_timespec_of(time_ms - now);
        nanosleep(&rest, NULL);
    }
}
