// The table together with its timer and its log, as the configuration wants them.
#ifndef KV_STORE_H
#define KV_STORE_H

#include "expiry.h"
#include "log.h"

typedef struct {
    kv_config config;
    kv_stats stats;
    kv_table *table;
    kv_log *log;        // NULL without log
    kv_expiry *expiry;  // NULL without timer
} kv_store;

// The sink is for the log; without log it is not used.
kv_store *kv_store_open(const kv_config *config, kv_sink sink);
// Ends the timer and the flusher, when no other thread uses the store. The table can still be read. KV_IO if the log could not be written in full.
kv_status kv_store_stop(kv_store *store);
// After kv_store_stop.
void kv_store_free(kv_store *store);

// Lets the key expire after so many milliseconds; 0 takes that back.
kv_status kv_store_expire(kv_store *store, kv_slice key, uint64_t after_ms);
// Waits for the timer to deal with all that is due.
void kv_store_settle(kv_store *store);
// Waits until all changes made so far are in the sink.
kv_status kv_store_sync(kv_store *store);

#endif
