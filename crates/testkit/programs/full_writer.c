/* Writes to a file system until it is full, and goes on trying: full_writer FOLDER
 *
 * Prints "full" at the first ENOSPC; after that it asks for another 64 KiB a hundred
 * times a second, as a program that logs to a full disk does.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: full_writer FOLDER\n");
        return 2;
    }
    bound_this_life();
    char path[4096];
    snprintf(path, sizeof path, "%s/fills.log", argv[1]);
    int file = open(path, O_CREAT | O_APPEND | O_WRONLY, 0600);
    if (file < 0)
        die(path);
    static char block[65536];
    memset(block, 'x', sizeof block);
    int said = 0;
    for (;;) {
        if (write(file, block, sizeof block) >= 0)
            continue;
        if (errno != ENOSPC)
            die("write");
        if (!said) {
            puts("full");
            fflush(stdout);
            said = 1;
        }
        usleep(10000);
    }
}
