#include "value.h"

#include "status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

kv_value *kv_value_new(kv_slice bytes) {
    kv_value *value = kv_alloc(sizeof *value + bytes.len);
    atomic_init(&value->references, 1);
    value->len = bytes.len;
    if (bytes.len > 0)
        memcpy(value->bytes, bytes.data, bytes.len);
    return value;
}

kv_value *kv_value_ref(kv_value *value) {
    int before = atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
    assert(before > 0);
    (void)before;
    return value;
}

void kv_value_unref(kv_value *value) {
    if (!value)
        return;
    // Release, so that this thread's reads come before the free; acquire, so that the freeing thread comes after all of them.
    if (atomic_fetch_sub_explicit(&value->references, 1, memory_order_acq_rel) == 1)
        free(value);
}

kv_slice kv_value_slice(const kv_value *value) {
    return (kv_slice){value->bytes, value->len};
}
