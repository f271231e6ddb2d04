// The server's clock: whole milliseconds of CLOCK_MONOTONIC. All deadlines are times of this clock.
#ifndef KV_CLOCK_H
#define KV_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t kv_now_ms(void);
struct timespec kv_timespec_of(uint64_t time_ms);
// Sleeps until the clock shows the time or a later one.
void kv_sleep_until(uint64_t time_ms);

#endif
