// Counters that every thread adds to without a lock. Their sum is exact once the threads have finished; no order between two
// counters is promised.
#ifndef KV_STATS_H
#define KV_STATS_H

#include "strbuf.h"

#include <stdatomic.h>

#ifdef BUG_STATS
typedef uint64_t kv_counter;  // BUG: plain. Two threads that add at the same time race, and one addition is lost.
#else
typedef _Atomic uint64_t kv_counter;
#endif

#define KV_STATS(X) \
    X(connections)  \
    X(commands)     \
    X(hits)         \
    X(misses)       \
    X(sets)         \
    X(deletes)      \
    X(conflicts)    \
    X(evicted)      \
    X(expired)      \
    X(resizes)      \
    X(log_records)  \
    X(log_flushes)

typedef struct {
#define X(name) kv_counter name;
    KV_STATS(X)
#undef X
} kv_stats;

static inline void kv_count(kv_counter *counter) {
#ifdef BUG_STATS
    *counter += 1;
#else
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
#endif
}

static inline uint64_t kv_counted(kv_counter *counter) {
#ifdef BUG_STATS
    return *counter;
#else
    return atomic_load_explicit(counter, memory_order_relaxed);
#endif
}

// Calls `each` for every counter, in the order above.
void kv_stats_each(kv_stats *stats, void (*each)(void *context, const char *name, uint64_t count), void *context);

#endif
