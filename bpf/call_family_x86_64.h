/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * x86-64 system calls by what a wait inside them can mean. Numbers are those of
 * arch/x86/entry/syscalls/syscall_64.tbl; what is not listed is CALL_OTHER.
 */
#pragma once

enum call_family {
	CALL_OTHER = 0,
	CALL_READ, /* first argument: file */
	CALL_WRITE, /* first argument: file */
	CALL_READ_SECOND, /* second argument: file that is read */
	CALL_RECEIVE, /* first argument: socket */
	CALL_WITH_FILE = CALL_RECEIVE, /* the families up to here are told by their file */
	CALL_SYNC, /* first argument: file, or none */
	CALL_FUTEX,
	CALL_FUTEX_WAIT,
	CALL_FUTEX_WAITV,
	CALL_POLL,
	CALL_TIMER,
	CALL_CHILD,
	CALL_ACCEPT,
	CALL_CONNECT,
	CALL_SEND,
	CALL_ASYNC,
	CALL_SIGNAL,
	CALL_FLOCK,
	CALL_FCNTL,
	CALL_IPC,
	CALL_CLONE,
	CALL_VFORK,
};

#define CALL_SENDFILE 40
#define CALL_IO_GETEVENTS 208
#define CALL_IO_SUBMIT 209
#define CALL_IO_PGETEVENTS 333
#define CALL_IO_URING_ENTER 426

#define CALLS 512 /* a power of two, so that a mask bounds the index for the verifier */

static const u8 call_family[CALLS] = {
	[0] = CALL_READ, [17] = CALL_READ, [19] = CALL_READ, [295] = CALL_READ, [327] = CALL_READ,
	[187] = CALL_READ, [78] = CALL_READ, [217] = CALL_READ, [275] = CALL_READ, [326] = CALL_READ,
	[1] = CALL_WRITE, [18] = CALL_WRITE, [20] = CALL_WRITE, [296] = CALL_WRITE, [328] = CALL_WRITE,
	[77] = CALL_WRITE, [285] = CALL_WRITE,
	[CALL_SENDFILE] = CALL_READ_SECOND,
	[74] = CALL_SYNC, [75] = CALL_SYNC, [277] = CALL_SYNC, [306] = CALL_SYNC, [26] = CALL_SYNC,
	[162] = CALL_SYNC,
	[202] = CALL_FUTEX, [455] = CALL_FUTEX_WAIT, [449] = CALL_FUTEX_WAITV,
	[7] = CALL_POLL, [23] = CALL_POLL, [270] = CALL_POLL, [271] = CALL_POLL, [232] = CALL_POLL,
	[281] = CALL_POLL, [441] = CALL_POLL,
	[35] = CALL_TIMER, [230] = CALL_TIMER,
	[61] = CALL_CHILD, [247] = CALL_CHILD,
	[43] = CALL_ACCEPT, [288] = CALL_ACCEPT,
	[42] = CALL_CONNECT,
	[45] = CALL_RECEIVE, [47] = CALL_RECEIVE, [299] = CALL_RECEIVE,
	[44] = CALL_SEND, [46] = CALL_SEND, [307] = CALL_SEND,
	[208] = CALL_ASYNC, [333] = CALL_ASYNC, [426] = CALL_ASYNC,
	[34] = CALL_SIGNAL, [130] = CALL_SIGNAL, [128] = CALL_SIGNAL,
	[73] = CALL_FLOCK, [72] = CALL_FCNTL,
	[65] = CALL_IPC, [220] = CALL_IPC, [69] = CALL_IPC, [70] = CALL_IPC, [242] = CALL_IPC,
	[243] = CALL_IPC,
	[56] = CALL_CLONE, [58] = CALL_VFORK,
};
