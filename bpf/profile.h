/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What profile.bpf.c hands to its user half; crates/probe/src/profile.rs declares the same. */
#pragma once

#define PROFILE_KEYS 8192 /* task and pair of stacks */
#define PROFILE_STACKS 4096 /* different stacks of either kind */
#define PROFILE_FRAMES 48 /* deeper stacks lose their outermost frames */
#define PROFILE_NO_CALL 0xffff /* not in a system call */

struct profile_key {
	u32 tid, tgid;
	u64 kernel_stack, user_stack; /* hashes of the frames; 0: none */
	u16 call; /* system call, in kernel mode */
	u8 kernel_mode;
	u8 kernel_thread;
	u32 zero;
};

struct profile_count {
	u64 samples;
	char comm[16]; /* of the thread */
	char process[16]; /* of the first thread of its process */
};

struct profile_stack {
	u64 frames; /* how many */
	u64 addresses[PROFILE_FRAMES]; /* innermost first */
};

struct profile_totals {
	u64 samples; /* of running tasks */
	u64 idle; /* of idle CPUs */
	u64 own; /* of this program: not kept */
	u64 keys_dropped; /* did not fit into their map */
	u64 stacks_dropped;
};
