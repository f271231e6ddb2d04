// How one change is written in the log: `17 set "key" "value" 9c3a01f2`.
#ifndef KV_RECORD_H
#define KV_RECORD_H

#include "arena.h"
#include "table.h"

typedef struct {
    uint64_t number;  // 1 for the first record of a log, and so on without a gap
    kv_change change;
    kv_slice key;
    kv_slice value;       // of KV_CHANGE_SET
    uint64_t expires_ms;  // of KV_CHANGE_EXPIRE
} kv_record;

void kv_record_write(const kv_record *record, kv_strbuf *out);
// Reads the first record of the text. Key and value point into the text or into the arena.
kv_status kv_record_read(kv_slice text, kv_arena *arena, kv_record *record, size_t *taken);

#endif
