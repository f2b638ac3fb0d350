/* Threads that write to one file: one_file_writers PATH THREADS BYTES
 *
 * Each writes BYTES at offset 0 over and over, through the page cache, so that the
 * inode lock and not the device is what they wait for.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

static int file;
static size_t bytes;

static void *write_over(void *unused)
{
    (void)unused;
    char *buffer = malloc(bytes);
    memset(buffer, 1, bytes);
    for (;;)
        if (pwrite(file, buffer, bytes, 0) != (ssize_t)bytes)
            die("pwrite");
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: one_file_writers PATH THREADS BYTES\n");
        return 2;
    }
    bound_this_life();
    file = open(argv[1], O_CREAT | O_RDWR, 0600);
    if (file < 0)
        die(argv[1]);
    bytes = strtoul(argv[3], NULL, 10);
    for (int i = 0; i < atoi(argv[2]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, write_over, NULL))
            die("pthread_create");
    }
    pause();
    return 0;
}
