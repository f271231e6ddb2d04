// Readers use a table without a lock and only say that they are reading; the writer replaces the table and frees the old
// one. It waits until nobody reads, but before the swap: a reader that comes after that may still get the old table.
// Source: read-copy-update, McKenney and Slingwine, 1998, with a counter for the grace period.
// Repaired: pass/rcu_swap.c
//! check => bug kind=use-after-free bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct table {
    int version;
    int checksum;
};

static _Atomic(struct table *) table;
static atomic_int readers;

static struct table *table_new(int version) {
    struct table *t = malloc(sizeof *t);
    t->version = version;
    t->checksum = 10 * version;
    return t;
}

static void wait_for_readers(void) {
    while (atomic_load(&readers) > 0) {
        sched_yield();
    }
}

static void *read_table(void *arg) {
    (void)arg;
    atomic_fetch_add(&readers, 1);
    struct table *t = atomic_load(&table);
    assert(t->checksum == 10 * t->version);
    atomic_fetch_sub(&readers, 1);
    return NULL;
}

static void *replace_table(void *arg) {
    (void)arg;
    struct table *fresh = table_new(2);
    wait_for_readers();
    // A reader may begin here and get the old table.
    struct table *old = atomic_exchange(&table, fresh);
    free(old);
    return NULL;
}

int main(void) {
    pthread_t reader, writer;
    atomic_store(&table, table_new(1));
    pthread_create(&reader, NULL, read_table, NULL);
    pthread_create(&writer, NULL, replace_table, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    assert(atomic_load(&table)->version == 2);
    free(atomic_load(&table));
    return 0;
}
