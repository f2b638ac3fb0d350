/* Creates, renames and deletes files in the folder PATH, one after the other. */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

int main(int argc, char **argv)
{
    char one[4096], other[4096];
    if (argc != 2)
        return 2;
    bound_this_life();
    snprintf(one, sizeof one, "%s/one", argv[1]);
    snprintf(other, sizeof other, "%s/other", argv[1]);
    for (;;) {
        int file = open(one, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (file < 0)
            die(one);
        close(file);
        if (rename(one, other))
            die("rename");
        if (unlink(other))
            die("unlink");
    }
}
