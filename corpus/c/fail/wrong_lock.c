// A server counts its hits. The two kinds of request each take a lock, but not the same one, so both may read the count
// before either writes it: a hit is lost.
// Source: folklore; CWE-366 (race condition within a thread), CWE-667.
// Repaired: pass/wrong_lock.c
//! check => bug kind=assertion bound=1

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
    hits++;
    pthread_mutex_unlock(&image_lock);
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
