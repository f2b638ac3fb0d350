/* Writes at a set pace through the page cache: steady_writer PATH BYTES_A_SECOND
 *
 * The file starts over at 128 MiB. It never asks for anything to reach the disk: when that
 * happens is the kernel's choice.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

#define PIECE (1 << 17)
#define SIZE (128L << 20)

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: steady_writer PATH BYTES_A_SECOND\n");
        return 2;
    }
    bound_this_life();
    static char piece[PIECE];
    int file = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0)
        die(argv[1]);
    double ns_a_piece = 1e9 * PIECE / atof(argv[2]);
    double next = now_ns();
    for (off_t at = 0;; at = (at + PIECE) % SIZE) {
        if (pwrite(file, piece, PIECE, at) != PIECE)
            die("pwrite");
        next += ns_a_piece;
        int64_t rest = next - now_ns();
        if (rest > 0)
            usleep(rest / 1000);
    }
}
