// The table: keys to values. A key belongs to one stripe, and each stripe is a hash table under a lock of its own that grows a few
// buckets at a time. All functions may be called by any thread.
#ifndef KV_TABLE_H
#define KV_TABLE_H

#include "config.h"
#include "stats.h"
#include "status.h"
#include "value.h"

enum { KV_KEY_MAX = 250 };

typedef struct kv_table kv_table;

typedef enum { KV_CHANGE_SET, KV_CHANGE_DEL, KV_CHANGE_EXPIRE } kv_change;

// Called for each change while the key's stripe is locked, hence in the order in which the changes of a key happen.
// `value` is set for KV_CHANGE_SET, `expires_ms` for KV_CHANGE_EXPIRE. It must not call the table.
typedef struct {
    void (*changed)(void *context, kv_change change, kv_slice key, kv_slice value, uint64_t expires_ms);
    void *context;
} kv_observer;

// Takes stripes, buckets, resize_step, max_items and max_bytes from the configuration. `stats` must outlive the table.
kv_table *kv_table_new(const kv_config *config, kv_stats *stats, kv_observer observer);
// No other thread may use the table any more.
void kv_table_free(kv_table *table);
// Tells nobody of changes any more. No other thread may use the table meanwhile.
void kv_table_unobserve(kv_table *table);

// The caller gets a reference of its own to the value.
kv_status kv_table_get(kv_table *table, kv_slice key, kv_value **value, uint64_t *version);
// Each change of a key gives it a new version. A new value does not expire.
kv_status kv_table_set(kv_table *table, kv_slice key, kv_slice value, uint64_t *version);
kv_status kv_table_del(kv_table *table, kv_slice key);
// A key that is not there counts as 0.
kv_status kv_table_incr(kv_table *table, kv_slice key, int64_t by, int64_t *result);
// Sets the value if the key still has that version.
kv_status kv_table_cas(kv_table *table, kv_slice key, uint64_t expected, kv_slice value, uint64_t *version);
// From that time on the key is as good as gone; 0 takes the deadline back.
kv_status kv_table_expire_at(kv_table *table, kv_slice key, uint64_t expires_ms);
// Removes the key if its time has come.
kv_status kv_table_expire_due(kv_table *table, kv_slice key);
// Appends to `out` the keys that match, quoted, one per line, and returns their number.
size_t kv_table_keys(kv_table *table, kv_slice pattern, kv_strbuf *out);
// Entries in the table, with those that have expired but have not been removed yet.
size_t kv_table_items(kv_table *table);
size_t kv_table_bytes(kv_table *table);

#endif
