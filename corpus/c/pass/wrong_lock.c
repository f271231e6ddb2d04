// A server counts its hits. Both kinds of request take the lock that belongs to the count.
// Source: folklore; CWE-366 (race condition within a thread), CWE-667.
// Buggy: fail/wrong_lock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t image_lock = PTHREAD_MUTEX_INITIALIZER;
static int pages, images;
// Hits of both kinds.
static int hits;

static void *serve_page(void *unused) {
    (void)unused;
    pthread_mutex_lock(&page_lock);
    pages++;
    hits++;
    pthread_mutex_unlock(&page_lock);
    return NULL;
}

static void *serve_image(void *unused) {
    (void)unused;
    pthread_mutex_lock(&image_lock);
    images++;
    pthread_mutex_unlock(&image_lock);
    pthread_mutex_lock(&page_lock);
    hits++;
    pthread_mutex_unlock(&page_lock);
    return NULL;
}

int main(void) {
    pthread_t page, image;
    pthread_create(&page, NULL, serve_page, NULL);
    pthread_create(&image, NULL, serve_image, NULL);
    pthread_join(page, NULL);
    pthread_join(image, NULL);
    assert(hits == pages + images);
    return 0;
}
