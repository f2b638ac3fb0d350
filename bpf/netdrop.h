/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What netdrop.bpf.c hands to its user half; crates/probe/src/net_drop.rs declares the same. */
#pragma once

#define NETDROP_ENTRIES 1024 /* places, reasons and protocols together */
#define NETDROP_NO_REASON 0xffffffff /* kernels before 5.17 give none */
#define NETDROP_NO_TRANSPORT 0xff /* no IP packet, or its header is not there yet */

struct netdrop_key {
	__u64 place; /* address in the function that dropped the packet */
	__u32 reason; /* enum skb_drop_reason; its upper half names another subsystem */
	__u16 network; /* Ethernet type, host order */
	__u8 transport; /* IP protocol */
	__u8 zero;
};
