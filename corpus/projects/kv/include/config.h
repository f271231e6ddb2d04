// The server's settings, as lines `name = value`; `#` begins a comment.
#ifndef KV_CONFIG_H
#define KV_CONFIG_H

#include "strbuf.h"

typedef struct {
    size_t workers;          // threads that serve connections, one connection each
    size_t queue;            // connections that may wait for a worker
    size_t stripes;          // independently locked parts of the table
    size_t buckets;          // per stripe at the start; a power of two
    size_t resize_step;      // buckets moved per operation while a stripe grows
    size_t max_items;        // beyond it the least recently used go; 0: no limit
    size_t max_bytes;        // likewise, keys and values and what they need in memory
    size_t max_value_bytes;  // longest value, and roughly the longest line
    bool timer;              // a thread that removes expired keys; without it they go when they are next asked for
    bool log;                // keep the log of changes
    bool log_sync;           // answer a change only once it has been flushed
    size_t log_flush_bytes;  // flush when this much is waiting ...
    size_t log_flush_ms;     // ... or the oldest record has waited this long
    size_t log_limit_bytes;  // a change waits while this much is unflushed
    size_t idle_ms;          // hang up on a client that is silent for so long; 0: never
} kv_config;

kv_config kv_config_default(void);
// On an error `config` may be partly changed, and `message` says what is wrong and where.
bool kv_config_set(kv_config *config, kv_slice name, kv_slice value, kv_strbuf *message);
bool kv_config_parse(kv_config *config, kv_slice text, kv_strbuf *message);
bool kv_config_load(kv_config *config, const char *path, kv_strbuf *message);
// Settings that do not go together; called by the server before it starts.
bool kv_config_check(const kv_config *config, kv_strbuf *message);
void kv_config_print(const kv_config *config, kv_strbuf *out);

#endif
