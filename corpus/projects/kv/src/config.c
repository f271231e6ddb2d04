#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

kv_config kv_config_default(void) {
    return (kv_config){
        .workers = 4,
        .queue = 64,
        .stripes = 16,
        .buckets = 64,
        .resize_step = 4,
        .max_items = 0,
        .max_bytes = 0,
        .max_value_bytes = 65536,
        .timer = true,
        .log = false,
        .log_sync = false,
        .log_flush_bytes = 4096,
        .log_flush_ms = 100,
        .log_limit_bytes = 1 << 20,
        .idle_ms = 0,
    };
}

typedef enum { NUMBER, SWITCH } setting_type;

typedef struct {
    const char *name;
    setting_type type;
    size_t offset;
    uint64_t least;
    uint64_t most;
} setting;

#define NUMBER_SETTING(field, least, most) {#field, NUMBER, offsetof(kv_config, field), least, most}
#define SWITCH_SETTING(field) {#field, SWITCH, offsetof(kv_config, field), 0, 0}

static const setting settings[] = {
    NUMBER_SETTING(workers, 1, 256),
    NUMBER_SETTING(queue, 1, 65536),
    NUMBER_SETTING(stripes, 1, 4096),
    NUMBER_SETTING(buckets, 1, 1 << 20),
    NUMBER_SETTING(resize_step, 1, 1 << 20),
    NUMBER_SETTING(max_items, 0, UINT32_MAX),
    NUMBER_SETTING(max_bytes, 0, UINT64_MAX),
    NUMBER_SETTING(max_value_bytes, 1, 1 << 26),
    SWITCH_SETTING(timer),
    SWITCH_SETTING(log),
    SWITCH_SETTING(log_sync),
    NUMBER_SETTING(log_flush_bytes, 1, 1 << 30),
    NUMBER_SETTING(log_flush_ms, 0, 3600000),
    NUMBER_SETTING(log_limit_bytes, 1, 1 << 30),
    NUMBER_SETTING(idle_ms, 0, 86400000),
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

static const setting *find_setting(kv_slice name) {
    for (size_t i = 0; i < SETTINGS; i++)
        if (kv_slice_equal(name, kv_slice_of(settings[i].name)))
            return &settings[i];
    return NULL;
}

static bool set_number(void *field, const setting *found, kv_slice value, kv_strbuf *message) {
    uint64_t number;
    if (!kv_slice_to_u64(value, &number)) {
        kv_strbuf_printf(message, "%s: `%.*s` is not a number", found->name, (int)value.len, value.data);
        return false;
    }
    if (number < found->least || number > found->most) {
        kv_strbuf_printf(message, "%s: must lie between %llu and %llu", found->name, (unsigned long long)found->least,
                         (unsigned long long)found->most);
        return false;
    }
    *(size_t *)field = (size_t)number;
    return true;
}

static bool set_switch(void *field, const setting *found, kv_slice value, kv_strbuf *message) {
    if (kv_slice_equal(value, KV_SLICE("on"))) {
        *(bool *)field = true;
    } else if (kv_slice_equal(value, KV_SLICE("off"))) {
        *(bool *)field = false;
    } else {
        kv_strbuf_printf(message, "%s: must be `on` or `off`", found->name);
        return false;
    }
    return true;
}

bool kv_config_set(kv_config *config, kv_slice name, kv_slice value, kv_strbuf *message) {
    const setting *found = find_setting(name);
    if (!found) {
        kv_strbuf_printf(message, "there is no setting `%.*s`", (int)name.len, name.data);
        return false;
    }
    void *field = (char *)config + found->offset;
    if (found->type == SWITCH)
        return set_switch(field, found, value, message);
    return set_number(field, found, value, message);
}

static bool parse_line(kv_config *config, kv_slice line, kv_strbuf *message) {
    const char *comment = memchr(line.data, '#', line.len);
    if (comment)
        line.len = (size_t)(comment - line.data);
    line = kv_slice_trim(line);
    if (line.len == 0)
        return true;
    const char *equals = memchr(line.data, '=', line.len);
    if (!equals) {
        kv_strbuf_append(message, KV_SLICE("a line must have the form `name = value`"));
        return false;
    }
    size_t at = (size_t)(equals - line.data);
    kv_slice name = kv_slice_trim((kv_slice){line.data, at});
    kv_slice value = kv_slice_trim((kv_slice){equals + 1, line.len - at - 1});
    return kv_config_set(config, name, value, message);
}

bool kv_config_parse(kv_config *config, kv_slice text, kv_strbuf *message) {
    for (size_t number = 1; text.len > 0; number++) {
        const char *newline = memchr(text.data, '\n', text.len);
        size_t len = newline ? (size_t)(newline - text.data) : text.len;
        size_t before = message->len;
        if (!parse_line(config, (kv_slice){text.data, len}, message)) {
            kv_strbuf cause = KV_STRBUF_EMPTY;
            kv_strbuf_append(&cause, (kv_slice){message->data + before, message->len - before});
            message->len = before;
            kv_strbuf_printf(message, "line %zu: %s", number, cause.data);
            kv_strbuf_free(&cause);
            return false;
        }
        size_t taken = newline ? len + 1 : len;
        text = (kv_slice){text.data + taken, text.len - taken};
    }
    return true;
}

bool kv_config_load(kv_config *config, const char *path, kv_strbuf *message) {
    FILE *file = fopen(path, "r");
    if (!file) {
        kv_strbuf_printf(message, "%s: %s", path, strerror(errno));
        return false;
    }
    kv_strbuf text = KV_STRBUF_EMPTY;
    size_t count;
    while ((count = fread(kv_strbuf_reserve(&text, 1024), 1, 1024, file)) > 0)
        text.len += count;
    bool parsed = kv_config_parse(config, kv_strbuf_slice(&text), message);
    kv_strbuf_free(&text);
    fclose(file);
    return parsed;
}

bool kv_config_check(const kv_config *config, kv_strbuf *message) {
    if ((config->buckets & (config->buckets - 1)) != 0)
        kv_strbuf_append(message, KV_SLICE("buckets: must be a power of two"));
    else if (config->log_sync && !config->log)
        kv_strbuf_append(message, KV_SLICE("log_sync: there is no log to wait for, switch on `log`"));
    else if (config->log_flush_bytes > config->log_limit_bytes)
        kv_strbuf_append(message, KV_SLICE("log_flush_bytes: must not exceed log_limit_bytes"));
    else
        return true;
    return false;
}

void kv_config_print(const kv_config *config, kv_strbuf *out) {
    for (size_t i = 0; i < SETTINGS; i++) {
        const void *field = (const char *)config + settings[i].offset;
        if (settings[i].type == SWITCH)
            kv_strbuf_printf(out, "%s = %s\n", settings[i].name, *(const bool *)field ? "on" : "off");
        else
            kv_strbuf_printf(out, "%s = %zu\n", settings[i].name, *(const size_t *)field);
    }
}
