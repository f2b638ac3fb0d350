/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What user space asks symbols.bpf.c; crates/probe/src/kernel_symbols.rs has the same. */
#pragma once

/* Addresses named at one go, and at each step of the iterator (its buffer holds 32 KiB). */
#define SYMBOLS_ASKED 1024
#define SYMBOLS_A_STEP 32

struct symbols_asked {
	__u64 count;
	__u64 addresses[SYMBOLS_ASKED];
};
