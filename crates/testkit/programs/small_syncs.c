/* Commits small writes: small_syncs FOLDER WRITERS
 *
 * Each writer is a process with a file of its own: 4 KiB more, fsync, and again;
 * the file starts over at 16 MiB.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <sys/wait.h>

static void commit_for_ever(const char *folder, int number)
{
    char path[4096], page[4096] = { 1 };
    bound_this_life();
    snprintf(path, sizeof path, "%s/log.%d", folder, number);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0)
        die(path);
    for (off_t offset = 0;; offset = (offset + 4096) % (16 << 20)) {
        if (offset == 0 && ftruncate(file, 0))
            die("ftruncate");
        if (pwrite(file, page, sizeof page, offset) != sizeof page)
            die("pwrite");
        if (fsync(file))
            die("fsync");
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: small_syncs FOLDER WRITERS\n");
        return 2;
    }
    bound_this_life();
    for (int i = 1; i < atoi(argv[2]); i++) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (child == 0)
            commit_for_ever(argv[1], i);
    }
    commit_for_ever(argv[1], 0);
    return 0;
}
