// kvtest SCENARIO: runs one scenario and returns 0, or stops at the first assertion that fails.
#include "scenario.h"

#include <stdio.h>
#include <string.h>

static const scenario *const lists[] = {server_scenarios, direct_scenarios};

enum { LISTS = sizeof lists / sizeof lists[0] };

static const scenario *find_scenario(const char *name) {
    for (size_t i = 0; i < LISTS; i++)
        for (const scenario *s = lists[i]; s->name; s++)
            if (strcmp(s->name, name) == 0)
                return s;
    return NULL;
}

static int usage(FILE *out) {
    fprintf(out, "usage: kvtest [-o NAME=VALUE]... SCENARIO\n\n");
    for (size_t i = 0; i < LISTS; i++)
        for (const scenario *s = lists[i]; s->name; s++)
            fprintf(out, "  %-14s %s\n", s->name, s->summary);
    return out == stdout ? 0 : 2;
}

static bool apply(kv_config *config, const char *text) {
    kv_strbuf message = KV_STRBUF_EMPTY;
    bool parsed = kv_config_parse(config, kv_slice_of(text), &message);
    if (!parsed)
        fprintf(stderr, "kvtest: %s\n", message.data);
    kv_strbuf_free(&message);
    return parsed;
}

// The smallest server there is. Scenarios ask for more where they need it.
static const char smallest[] = "workers = 1\n"
                               "queue = 2\n"
                               "stripes = 1\n"
                               "buckets = 4\n"
                               "resize_step = 1\n"
                               "timer = off\n"
                               "log = off\n";

int main(int argc, char **argv) {
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--list") == 0))
        return usage(stdout);
    const scenario *found = argc > 1 ? find_scenario(argv[argc - 1]) : NULL;
    if (!found || argc % 2 != 0)
        return usage(stderr);
    kv_config config = kv_config_default();
    bool good = apply(&config, smallest) && apply(&config, found->settings);
    for (int i = 1; good && i + 1 < argc - 1; i += 2)
        good = strcmp(argv[i], "-o") == 0 && apply(&config, argv[i + 1]);
    if (!good)
        return usage(stderr);
    found->run(&config);
    return 0;
}
