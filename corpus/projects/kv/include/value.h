// A value: bytes that never change, shared by reference. The table holds one reference and every reader one of its own, so
// that a reader can send a value after the table has let go of it.
#ifndef KV_VALUE_H
#define KV_VALUE_H

#include "slice.h"

#include <stdatomic.h>

typedef struct {
    atomic_int references;
    size_t len;
    char bytes[];
} kv_value;

// With one reference, the caller's.
kv_value *kv_value_new(kv_slice bytes);
// Only for who holds a reference already, or holds the lock under which one is held.
kv_value *kv_value_ref(kv_value *value);
// The last one frees. NULL is fine.
void kv_value_unref(kv_value *value);
kv_slice kv_value_slice(const kv_value *value);

#endif
