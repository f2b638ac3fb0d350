/* Makes empty files until there can be no more, and goes on trying: many_files FOLDER
 *
 * Prints "full" at the first ENOSPC; after that it tries a hundred times a second.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <errno.h>
#include <fcntl.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: many_files FOLDER\n");
        return 2;
    }
    bound_this_life();
    int said = 0;
    for (long n = 0;; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%ld", argv[1], n);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file >= 0) {
            close(file);
            continue;
        }
        if (errno != ENOSPC)
            die(path);
        if (!said) {
            puts("full");
            fflush(stdout);
            said = 1;
        }
        usleep(10000);
    }
}
