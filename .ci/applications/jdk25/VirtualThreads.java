import io.quorate.client.QuorateClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Counts in Quorate with many virtual threads at once, says what it did, and ends. */
public final class VirtualThreads {
  private static final int THREADS = 500;

  public static void main(String[] arguments) throws Exception {
    try (QuorateClient client = QuorateClient.connect(System.getenv("QUORATE_AT"));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      long before = client.incrementAndGet("threads", 0);
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        counts.add(threads.submit(() -> client.incrementAndGet("threads", 1)));
      }
      for (Future<Long> count : counts) {
        count.get();
      }
      String read = client.get("threads").orElseThrow();
      if (Long.parseLong(read) != before + THREADS) {
        throw new IllegalStateException("Counted " + read + " from " + before + ".");
      }
      System.out.println(
          "Works with " + THREADS + " virtual threads on JDK " + Runtime.version().feature() + ".");
    }
  }
}
