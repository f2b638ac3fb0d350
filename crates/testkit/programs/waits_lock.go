// Known waits of a Go program for a lock: goroutines that stay on a thread of their own
// fight for a sync.Mutex and clock their waits.
//
//	PROGRAM SECONDS
//
// They write the same lines as clocked.h to the file named by HELDUP_CLOCKED. Go parks the
// thread of a waiting goroutine in a futex as it parks one without work, so that the class
// that is right for such a wait is `unknown`.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	fighters = 3
	hold     = 3 * time.Millisecond
)

func fight(mutex *sync.Mutex, end time.Time, clocked *os.File) {
	runtime.LockOSThread()
	born := time.Now()
	var waited time.Duration
	calls := 0
	for time.Now().Before(end) {
		start := time.Now()
		mutex.Lock()
		waited += time.Since(start)
		calls++
		for held := time.Now(); time.Since(held) < hold; {
		}
		// Unlock gives a mutex that is fought for to the next, and its processor too: it waits.
		start = time.Now()
		mutex.Unlock()
		waited += time.Since(start)
	}
	fmt.Fprintf(clocked, "go-mutex %d unknown %d %d %d\n", syscall.Gettid(), waited.Nanoseconds(), calls,
		time.Since(born).Nanoseconds())
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	clocked, err := os.OpenFile(os.Getenv("HELDUP_CLOCKED"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	// A collection would stop the threads outside of their clocked calls.
	debug.SetGCPercent(-1)
	// Go takes the processor away from a thread after 10 ms, waiting for a CPU included: there
	// must be another one that gives it back at once.
	runtime.GOMAXPROCS(2 * fighters)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var mutex sync.Mutex
	var done sync.WaitGroup
	for i := 0; i < fighters; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			fight(&mutex, end, clocked)
		}()
	}
	done.Wait()
}
