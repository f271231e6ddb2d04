#include "stats.h"

void kv_stats_each(kv_stats *stats, void (*each)(void *context, const char *name, uint64_t count), void *context) {
#define X(name) each(context, #name, kv_counted(&stats->name));
    KV_STATS(X)
#undef X
}
