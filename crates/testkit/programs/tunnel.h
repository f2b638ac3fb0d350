/* A tun device whose far end is the program itself. In a network namespace of its own. */
#ifndef TUNNEL_H
#define TUNNEL_H

#include "bounded.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define NEAR "10.77.0.1"
#define FAR "10.77.0.2"

static int link_end;

static void set_address(int control, unsigned long request, struct ifreq *link, const char *address)
{
    struct sockaddr_in *in = (struct sockaddr_in *)&link->ifr_addr;
    memset(in, 0, sizeof *in);
    in->sin_family = AF_INET;
    inet_pton(AF_INET, address, &in->sin_addr);
    if (ioctl(control, request, link))
        die("set address of the link");
}

/* The program holds the far end of the link, `link_end`. */
static void make_link(void)
{
    struct ifreq link = { .ifr_flags = IFF_TUN | IFF_NO_PI };
    link_end = open("/dev/net/tun", O_RDWR);
    if (link_end < 0 || ioctl(link_end, TUNSETIFF, &link))
        die("/dev/net/tun");
    int control = socket(AF_INET, SOCK_DGRAM, 0);
    set_address(control, SIOCSIFADDR, &link, NEAR);
    set_address(control, SIOCSIFNETMASK, &link, "255.255.255.0");
    link.ifr_flags = IFF_UP | IFF_RUNNING;
    if (ioctl(control, SIOCSIFFLAGS, &link))
        die("set the link up");
    close(control);
}

#endif
