/* Reads files one after the other as a backup does, at a set pace: paced_backup BYTES_A_SECOND PATH...
 *
 * Reads through the page cache, from the first file to the last and again. What it has read it
 * drops at the end of each round, so that the next round reads from the disk too.
 * Prints a line at the end of each round.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

#define PIECE (1 << 17)

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: paced_backup BYTES_A_SECOND PATH...\n");
        return 2;
    }
    bound_this_life();
    static char piece[PIECE];
    double pace = atof(argv[1]), ns_a_piece = 1e9 * PIECE / pace;
    int64_t next = now_ns();
    for (;;) {
        for (int i = 2; i < argc; i++) {
            int file = open(argv[i], O_RDONLY);
            if (file < 0)
                die(argv[i]);
            ssize_t got;
            while ((got = read(file, piece, sizeof piece)) > 0) {
                next += ns_a_piece;
                int64_t rest = next - now_ns();
                if (rest > 0)
                    usleep(rest / 1000);
                else
                    next = now_ns();
            }
            if (got < 0)
                die("read");
            close(file);
        }
        for (int i = 2; i < argc; i++) {
            int file = open(argv[i], O_RDONLY);
            if (file < 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
                die(argv[i]);
            close(file);
        }
        puts("round");
        fflush(stdout);
    }
}
