// Known waits of a Java program for a lock: threads fight for a ReentrantLock and clock
// their waits.
//
//     java WaitsLock SECONDS
//
// They write the same lines as clocked.h to the file named by HELDUP_CLOCKED. Java parks a
// thread that waits for a lock in the same futex as one without work, so that the class
// that is right for such a wait is `unknown`.

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

class WaitsLock {
    static final int FIGHTERS = 3;
    static final long HOLD_NS = 3_000_000;

    // Fair: else the holder has it again before a waiter is awake.
    static final ReentrantLock lock = new ReentrantLock(true);

    static void fight(long end) throws Exception {
        String tid = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
        long born = System.nanoTime(), waited = 0, calls = 0;
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            lock.lock();
            waited += System.nanoTime() - start;
            calls++;
            for (long held = System.nanoTime(); System.nanoTime() - held < HOLD_NS; ) {
            }
            lock.unlock();
        }
        String line = "java-lock " + tid + " unknown " + waited + " " + calls + " "
                + (System.nanoTime() - born) + "\n";
        Files.writeString(Path.of(System.getenv("HELDUP_CLOCKED")), line, StandardOpenOption.APPEND);
    }

    public static void main(String[] arguments) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        Thread[] threads = new Thread[FIGHTERS];
        for (int i = 0; i < FIGHTERS; i++) {
            threads[i] = new Thread(() -> {
                try {
                    fight(end);
                } catch (Exception error) {
                    error.printStackTrace();
                    System.exit(1);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
