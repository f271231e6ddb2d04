// The log of changes. Changes are appended to a buffer in memory; a thread of its own, the flusher, hands the buffer to a sink from time
// to time. Replaying what the sink has got rebuilds the table.
//
// A record is one line: sequence number, operation, key, value or deadline, and a checksum of all that.
#ifndef KV_LOG_H
#define KV_LOG_H

#include "table.h"

typedef struct kv_log kv_log;

// Where flushed records go. Only the flusher calls it, one call at a time. False: the write has failed.
typedef struct {
    bool (*write)(void *context, kv_slice records);
    void *context;
} kv_sink;

// Takes the log_... settings from the configuration and starts the flusher.
kv_log *kv_log_start(const kv_config *config, kv_stats *stats, kv_sink sink);
// Flushes what is left, ends the flusher and frees the log. Nobody may append any more.
kv_status kv_log_stop(kv_log *log);

// Waits while the buffer is full. Called with a stripe locked: the flusher never wants a stripe.
void kv_log_append(kv_log *log, kv_change change, kv_slice key, kv_slice value, uint64_t expires_ms);
// Waits until all that has been appended before this call is flushed. KV_IO if the sink has failed.
kv_status kv_log_sync(kv_log *log);
// What the table tells its changes to.
kv_observer kv_log_observer(kv_log *log);

// Applies the records to the table in their order. KV_CORRUPT at the first one that is damaged, out of order or cut short; those before it
// have been applied. `records` counts them.
kv_status kv_log_replay(kv_slice text, kv_table *table, size_t *records);

#endif
