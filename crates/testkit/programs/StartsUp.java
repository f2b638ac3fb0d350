// What a Java program does when it starts: loads some hundred classes, compiles the first hot
// code, fills its first collections, starts its pool of threads; then it is ready and ends.
//
//     java StartsUp

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class StartsUp {
    public static void main(String[] arguments) throws Exception {
        Pattern words = Pattern.compile("\\W+");
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Map<String, Long>>> parts = IntStream.range(0, 8)
                .mapToObj(part -> pool.submit(() -> IntStream.range(0, 20_000)
                        .mapToObj(number -> String.format("item %d of part %d", number % 100, part))
                        .flatMap(line -> words.splitAsStream(line))
                        .collect(Collectors.groupingBy(word -> word, Collectors.counting()))))
                .collect(Collectors.toList());
        long all = 0;
        for (Future<Map<String, Long>> part : parts) {
            all += part.get().values().stream().mapToLong(Long::longValue).sum();
        }
        pool.shutdown();
        System.out.println("ready " + all);
    }
}
