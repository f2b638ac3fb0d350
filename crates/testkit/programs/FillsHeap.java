import java.util.ArrayDeque;

/** Keeps MEGABYTES of small objects and replaces them, a few a step: a cache of sessions in a service. */
public class FillsHeap {
    public static void main(String[] words) throws InterruptedException {
        int kept = Integer.parseInt(words[0]) * 1024;
        int stepsPerSecond = Integer.parseInt(words[1]);
        // A test that was killed leaves nobody behind for long.
        long end = System.nanoTime() + 170_000_000_000L;
        ArrayDeque<byte[]> sessions = new ArrayDeque<>(kept);
        boolean said = false;
        long next = System.nanoTime();
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200; i++) {
                sessions.addLast(new byte[1000]);
                if (sessions.size() > kept) {
                    sessions.removeFirst();
                    if (!said) {
                        System.out.println("full");
                        said = true;
                    }
                }
            }
            if (said) {
                next = Math.max(next + 1_000_000_000L / stepsPerSecond, System.nanoTime() - 1_000_000_000L);
                long left = next - System.nanoTime();
                if (left > 0) {
                    Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
                }
            }
        }
    }
}
