// A record with two columns of eight characters, one for each thread. The text of the first column fills it, and strcpy
// writes the zero that ends it into the second column. It races with the other thread, and may be the last to write there.
// Source: our own.
// Repaired: pass/strcpy_neighbour.c
//! check => bug kind=assertion bound=0

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
    strcpy(cell->at, cell->text); // and one character more
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
