// The timer: a thread that removes keys when their time has come. It keeps its own list of deadlines, earliest first. A deadline that has been
// changed or taken back since is still in the list; the table knows better and the timer goes on.
#ifndef KV_EXPIRY_H
#define KV_EXPIRY_H

#include "table.h"

typedef struct kv_expiry kv_expiry;

kv_expiry *kv_expiry_start(kv_table *table);
// Ends the thread and frees all. Nobody may add any more.
void kv_expiry_stop(kv_expiry *expiry);

void kv_expiry_add(kv_expiry *expiry, kv_slice key, uint64_t expires_ms);
// Waits until every deadline that lies in the past has been dealt with.
void kv_expiry_settle(kv_expiry *expiry);

#endif
