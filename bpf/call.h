/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What call.bpf.c hands to its user half; crates/probe/src/calls.rs declares the same. */
#pragma once

#define CALL_ENTRIES 16384 /* processes, calls and errors together */
#define CALL_NUMBERS 512

struct call_key {
	__u32 tgid;
	__u16 call;
	__u16 error; /* 0: the call succeeded */
};

struct call_count {
	__u64 calls;
	/* Of the last failure; 0 where the call succeeded. */
	__u64 arguments[3];
	__u64 locked_pages; /* in memory, of the process */
	__u32 mappings; /* of the process */
	__u32 zero;
	char name[16]; /* of the first thread */
};

struct call_totals {
	__u64 seen; /* returns from calls, whatever became of them */
	__u64 dropped; /* those that found no room */
};
