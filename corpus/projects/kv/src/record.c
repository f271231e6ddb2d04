#include "record.h"

#include "tokens.h"

#include <inttypes.h>
#include <stdio.h>

enum { CHECKSUM_DIGITS = 8 };

static uint32_t checksum(kv_slice text) {
    uint64_t hash = kv_slice_hash(text);
    return (uint32_t)(hash ^ (hash >> 32));
}

void kv_record_write(const kv_record *record, kv_strbuf *out) {
    static const char *const name[] = {
        [KV_CHANGE_SET] = "set", [KV_CHANGE_DEL] = "del", [KV_CHANGE_EXPIRE] = "expire"};
    size_t start = out->len;
    kv_strbuf_printf(out, "%" PRIu64 " %s ", record->number, name[record->change]);
    kv_strbuf_quoted(out, record->key);
    kv_strbuf_char(out, ' ');
    if (record->change == KV_CHANGE_SET)
        kv_strbuf_quoted(out, record->value);
    else
        kv_strbuf_printf(out, "%" PRIu64, record->change == KV_CHANGE_EXPIRE ? record->expires_ms : 0);
    uint32_t sum = checksum((kv_slice){out->data + start, out->len - start});
    kv_strbuf_printf(out, " %0*" PRIx32 "\n", CHECKSUM_DIGITS, sum);
}

static bool operation_of(kv_slice name, kv_change *change) {
    if (kv_slice_equal(name, KV_SLICE("set")))
        *change = KV_CHANGE_SET;
    else if (kv_slice_equal(name, KV_SLICE("del")))
        *change = KV_CHANGE_DEL;
    else if (kv_slice_equal(name, KV_SLICE("expire")))
        *change = KV_CHANGE_EXPIRE;
    else
        return false;
    return true;
}

kv_status kv_record_read(kv_slice text, kv_arena *arena, kv_record *record, size_t *taken) {
    kv_slice line;
    if (!kv_first_line(text, &line, taken) || line.len <= CHECKSUM_DIGITS + 1)
        return KV_CORRUPT;
    char digits[CHECKSUM_DIGITS + 1];
    kv_slice covered = {line.data, line.len - CHECKSUM_DIGITS - 1};
    snprintf(digits, sizeof digits, "%0*" PRIx32, CHECKSUM_DIGITS, checksum(covered));
    kv_slice sum = {line.data + covered.len + 1, CHECKSUM_DIGITS};
    if (!kv_slice_equal(sum, (kv_slice){digits, CHECKSUM_DIGITS}))
        return KV_CORRUPT;

    kv_tokens tokens;
    if (kv_tokenize(covered, arena, &tokens) != KV_OK || tokens.count != 4)
        return KV_CORRUPT;
    *record = (kv_record){.key = tokens.word[2]};
    if (!kv_slice_to_u64(tokens.word[0], &record->number) || !operation_of(tokens.word[1], &record->change))
        return KV_CORRUPT;
    if (record->change == KV_CHANGE_SET)
        record->value = tokens.word[3];
    else if (!kv_slice_to_u64(tokens.word[3], &record->expires_ms))
        return KV_CORRUPT;
    return KV_OK;
}
