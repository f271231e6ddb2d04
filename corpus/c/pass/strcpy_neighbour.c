// A record with two columns of eight characters, one for each thread. Both copy the characters alone: neighbours in one
// array do not race.
// Source: our own.
// Buggy: fail/strcpy_neighbour.c
//! check => verified

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define COLUMN 8

struct cell {
    char *at;
    const char *text;
};

static char record[2 * COLUMN + 1];

static void *fill(void *arg) {
    const struct cell *cell = arg;
    memcpy(cell->at, cell->text, strlen(cell->text));
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct cell cells[2] = {{record, "20240229"}, {record + COLUMN, "Santiago"}};
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, fill, &cells[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(strcmp(record, "20240229Santiago") == 0);
    return 0;
}
