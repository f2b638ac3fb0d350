/* Threads that read one open file by its position: one_position THREADS
 *
 * The kernel keeps the position of an open file under a lock that a read holds to its
 * end, so that the threads read one after the other. The file is in memory, but not a
 * memfd: those have no such lock.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <pthread.h>

#define BYTES (8 << 20)

static int file;

static void *read_on(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "reader");
    char *buffer = malloc(BYTES);
    if (!buffer)
        die("malloc");
    for (;;) {
        if (read(file, buffer, BYTES) < 0)
            die("read");
        if (lseek(file, 0, SEEK_SET) < 0)
            die("lseek");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: one_position THREADS\n");
        return 2;
    }
    bound_this_life();
    file = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, BYTES))
        die("a file in /dev/shm");
    for (int i = 0; i < atoi(argv[1]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, read_on, NULL))
            die("pthread_create");
    }
    pause();
    return 0;
}
