/* Reads a file that is in memory, half of the time: paced_reader PATH
 *
 * Reads 16 MiB through the page cache, then sleeps for as long as that took.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

#define ROUND (16 << 20)
#define PIECE (1 << 17)

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: paced_reader PATH\n");
        return 2;
    }
    bound_this_life();
    int file = open(argv[1], O_RDONLY);
    if (file < 0)
        die(argv[1]);
    static char piece[PIECE];
    for (;;) {
        int64_t start = now_ns();
        for (int done = 0; done < ROUND; done += PIECE) {
            ssize_t got = read(file, piece, sizeof piece);
            if (got < 0)
                die("read");
            if (got == 0)
                lseek(file, 0, SEEK_SET);
        }
        usleep((now_ns() - start) / 1000);
    }
}
