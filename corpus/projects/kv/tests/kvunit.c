// Tests of the parts that need no threads.
#undef NDEBUG
#include <assert.h>

#include "arena.h"
#include "clock.h"
#include "log.h"
#include "slab.h"
#include "tokens.h"

#include <stdio.h>
#include <string.h>

static const kv_observer nobody = {NULL, NULL};

static void test_slice(void) {
    uint64_t u;
    int64_t i;
    assert(kv_slice_to_u64(KV_SLICE("18446744073709551615"), &u) && u == UINT64_MAX);
    assert(!kv_slice_to_u64(KV_SLICE("18446744073709551616"), &u));
    assert(!kv_slice_to_u64(KV_SLICE(""), &u) && !kv_slice_to_u64(KV_SLICE("1x"), &u));
    assert(kv_slice_to_i64(KV_SLICE("-9223372036854775808"), &i) && i == INT64_MIN);
    assert(!kv_slice_to_i64(KV_SLICE("9223372036854775808"), &i));
    assert(!kv_slice_to_i64(KV_SLICE("-"), &i));
    assert(kv_slice_matches(KV_SLICE("user:17:name"), KV_SLICE("user:*:n?me")));
    assert(kv_slice_matches(KV_SLICE("aab"), KV_SLICE("*ab")));
    assert(kv_slice_matches(KV_SLICE(""), KV_SLICE("**")));
    assert(!kv_slice_matches(KV_SLICE("abc"), KV_SLICE("ab")));
    assert(kv_slice_equal(kv_slice_trim(KV_SLICE(" \ta b\n")), KV_SLICE("a b")));
}

// What is quoted comes back the same, whatever it is.
static void test_quoting(void) {
    char bytes[256];
    for (int c = 0; c < 256; c++)
        bytes[c] = (char)c;
    kv_strbuf line = KV_STRBUF_EMPTY;
    kv_strbuf_append(&line, KV_SLICE("  SET  "));
    kv_strbuf_quoted(&line, (kv_slice){bytes, sizeof bytes});
    kv_strbuf_append(&line, KV_SLICE(" \"\" "));
    kv_arena arena = KV_ARENA_EMPTY;
    kv_tokens tokens;
    assert(kv_tokenize(kv_strbuf_slice(&line), &arena, &tokens) == KV_OK);
    assert(tokens.count == 3);
    assert(kv_slice_equal(tokens.word[0], KV_SLICE("SET")));
    assert(kv_slice_equal(tokens.word[1], (kv_slice){bytes, sizeof bytes}));
    assert(tokens.word[2].len == 0);
    static const char *const bad[] = {"\"open", "\"a\"b", "\"\\q\"", "\"\\x4\"", "1 2 3 4 5 6 7 8 9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert(kv_tokenize(kv_slice_of(bad[i]), &arena, &tokens) == KV_BAD_ARGUMENT);
    kv_arena_free(&arena);
    kv_strbuf_free(&line);
}

static void test_config(void) {
    kv_config config = kv_config_default(), again = kv_config_default();
    kv_strbuf message = KV_STRBUF_EMPTY, text = KV_STRBUF_EMPTY;
    assert(kv_config_parse(&config, KV_SLICE("# small\nworkers = 1 # one\n\nlog=on"), &message));
    assert(config.workers == 1 && config.log);
    kv_config_print(&config, &text);
    assert(kv_config_parse(&again, kv_strbuf_slice(&text), &message));
    assert(again.workers == 1 && again.log && again.queue == config.queue);
    assert(!kv_config_parse(&config, KV_SLICE("queue = 3\nstripes = 0\n"), &message));
    assert(strcmp(message.data, "line 2: stripes: must lie between 1 and 4096") == 0);
    kv_strbuf_clear(&message);
    config.buckets = 3;
    assert(!kv_config_check(&config, &message) && message.len > 0);
    kv_strbuf_free(&message);
    kv_strbuf_free(&text);
}

static void test_slab(void) {
    kv_slab slab = KV_SLAB_EMPTY;
    void *objects[40];
    for (size_t i = 0; i < 40; i++)
        memset(objects[i] = kv_slab_alloc(&slab, 60 + 8 * i), (int)i, 60 + 8 * i);
    for (size_t i = 0; i < 40; i++) {
        const unsigned char *bytes = objects[i];
        assert(bytes[0] == i && bytes[59 + 8 * i] == i);
        kv_slab_release(&slab, objects[i], 60 + 8 * i);
    }
    void *again = kv_slab_alloc(&slab, 60);
    kv_slab_release(&slab, again, 60);
    kv_slab_free(&slab);
}

static void number_key(char *key, size_t size, int i) {
    snprintf(key, size, "key-%d", i);
}

// Keys are found at every moment while the table grows.
static void test_growing(void) {
    kv_config config = kv_config_default();
    kv_stats stats = {0};
    char key[16];
    config.stripes = 2;
    config.buckets = 1;
    config.resize_step = 1;
    kv_table *table = kv_table_new(&config, &stats, nobody);
    for (int i = 0; i < 200; i++) {
        number_key(key, sizeof key, i);
        assert(kv_table_set(table, kv_slice_of(key), kv_slice_of(key), NULL) == KV_OK);
        for (int j = 0; j <= i; j += 7) {
            kv_value *value;
            number_key(key, sizeof key, j);
            assert(kv_table_get(table, kv_slice_of(key), &value, NULL) == KV_OK);
            kv_value_unref(value);
        }
    }
    assert(kv_counted(&stats.resizes) > 6);
    kv_strbuf keys = KV_STRBUF_EMPTY;
    assert(kv_table_keys(table, KV_SLICE("key-1?"), &keys) == 10);
    for (int i = 0; i < 200; i += 2) {
        number_key(key, sizeof key, i);
        assert(kv_table_del(table, kv_slice_of(key)) == KV_OK);
    }
    assert(kv_table_items(table) == 100);
    kv_strbuf_free(&keys);
    kv_table_free(table);
}

static void test_limits(void) {
    kv_config config = kv_config_default();
    kv_stats stats = {0};
    kv_value *value;
    int64_t sum;
    config.max_bytes = 900;
    kv_table *table = kv_table_new(&config, &stats, nobody);
    char large[400];
    memset(large, 'x', sizeof large);
    kv_slice filler = {large, sizeof large};
    assert(kv_table_set(table, KV_SLICE("a"), filler, NULL) == KV_OK);
    assert(kv_table_set(table, KV_SLICE("b"), KV_SLICE("small"), NULL) == KV_OK);
    assert(kv_table_get(table, KV_SLICE("a"), &value, NULL) == KV_OK);
    assert(kv_table_set(table, KV_SLICE("b"), filler, NULL) == KV_OK);  // grows in place, and pushes `a` out
    assert(kv_table_bytes(table) <= 900 && kv_counted(&stats.evicted) == 1);
    assert(kv_slice_equal(kv_value_slice(value), filler));  // a reader still has it
    kv_value_unref(value);
    assert(kv_table_get(table, KV_SLICE("a"), &value, NULL) == KV_NOT_FOUND);
    assert(kv_table_set(table, filler, filler, NULL) == KV_TOO_LONG);
    assert(kv_table_set(table, KV_SLICE("n"), KV_SLICE("9223372036854775807"), NULL) == KV_OK);
    assert(kv_table_incr(table, KV_SLICE("n"), 1, &sum) == KV_OVERFLOW);
    assert(kv_table_set(table, KV_SLICE("n"), KV_SLICE("x"), NULL) == KV_OK);
    assert(kv_table_incr(table, KV_SLICE("n"), 1, &sum) == KV_NOT_A_NUMBER);
    kv_table_free(table);
}

static void test_deadlines(void) {
    kv_config config = kv_config_default();
    kv_stats stats = {0};
    kv_value *value;
    int64_t sum;
    kv_table *table = kv_table_new(&config, &stats, nobody);
    uint64_t past = kv_now_ms(), future = past + 1000000;
    assert(kv_table_incr(table, KV_SLICE("n"), 5, &sum) == KV_OK && sum == 5);
    assert(kv_table_expire_at(table, KV_SLICE("n"), future) == KV_OK);
    assert(kv_table_expire_due(table, KV_SLICE("n")) == KV_NOT_FOUND);
    assert(kv_table_incr(table, KV_SLICE("n"), 1, &sum) == KV_OK && sum == 6);
    assert(kv_table_expire_at(table, KV_SLICE("n"), past) == KV_OK);
    assert(kv_table_get(table, KV_SLICE("n"), &value, NULL) == KV_NOT_FOUND);
    assert(kv_table_incr(table, KV_SLICE("n"), 1, &sum) == KV_OK && sum == 1);
    assert(kv_counted(&stats.expired) == 1);
    kv_table_free(table);
}

static bool append_to_buffer(void *context, kv_slice records) {
    kv_strbuf_append(context, records);
    return true;
}

// A damaged log is replayed up to the damage.
static void test_damaged_log(void) {
    kv_config config = kv_config_default();
    kv_stats stats = {0};
    kv_strbuf text = KV_STRBUF_EMPTY;
    kv_log *log = kv_log_start(&config, &stats, (kv_sink){append_to_buffer, &text});
    kv_table *table = kv_table_new(&config, &stats, kv_log_observer(log));
    assert(kv_table_set(table, KV_SLICE("a"), KV_SLICE("1"), NULL) == KV_OK);
    assert(kv_table_set(table, KV_SLICE("b"), KV_SLICE("2"), NULL) == KV_OK);
    assert(kv_log_stop(log) == KV_OK);
    kv_table_free(table);

    size_t records;
    kv_table *copy = kv_table_new(&config, &stats, nobody);
    assert(kv_log_replay(kv_strbuf_slice(&text), copy, &records) == KV_OK && records == 2);
    assert(kv_log_replay((kv_slice){text.data, text.len - 3}, copy, &records) == KV_CORRUPT && records == 1);
    text.data[text.len - 12] ^= 1;
    assert(kv_log_replay(kv_strbuf_slice(&text), copy, &records) == KV_CORRUPT && records == 1);
    kv_table_free(copy);
    kv_strbuf_free(&text);
}

int main(void) {
    test_slice();
    test_quoting();
    test_config();
    test_slab();
    test_growing();
    test_limits();
    test_deadlines();
    test_damaged_log();
    return 0;
}
