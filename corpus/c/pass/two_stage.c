// A directory and its records, each with a lock of its own. Whoever adds a record writes it first and enters it in the
// directory second, so that the directory names only what is there.
// Source: two-stage access, Farchi, Nir and Ur, Concurrent Bug Patterns and How to Test Them, IPDPS 2003.
// Buggy: fail/two_stage.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define NOBODY (-1)
#define RECORDS 4

static pthread_mutex_t directory_lock = PTHREAD_MUTEX_INITIALIZER;
static int directory = NOBODY; // where the record of our only customer is

static pthread_mutex_t records_lock = PTHREAD_MUTEX_INITIALIZER;
static int records[RECORDS];

static void enter(int place) {
    pthread_mutex_lock(&directory_lock);
    directory = place;
    pthread_mutex_unlock(&directory_lock);
}

static void write_record(int place, int value) {
    pthread_mutex_lock(&records_lock);
    records[place] = value;
    pthread_mutex_unlock(&records_lock);
}

static void *add_customer(void *arg) {
    (void)arg;
    write_record(2, 1815);
    enter(2);
    return NULL;
}

static void *look_up(void *arg) {
    (void)arg;
    pthread_mutex_lock(&directory_lock);
    int place = directory;
    pthread_mutex_unlock(&directory_lock);
    if (place == NOBODY) {
        return NULL;
    }
    pthread_mutex_lock(&records_lock);
    int value = records[place];
    pthread_mutex_unlock(&records_lock);
    assert(value == 1815 && "the directory names an empty record");
    return NULL;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, add_customer, NULL);
    pthread_create(&reader, NULL, look_up, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
