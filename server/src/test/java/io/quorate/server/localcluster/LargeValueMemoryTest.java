package io.quorate.server.localcluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Node processes with the memory of every server, 512 MiB of heap, and far more bytes of values
 * requested at a time. A node that lacks memory ends ({@code ExitOnOutOfMemoryError}).
 */
@Timeout(400)
@Tag("slow")
class LargeValueMemoryTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int LARGEST = 64 << 20;
  private static final int KEYS = 4;
  private static final int CLIENTS = 64;

  @TempDir private Path directory;

  private final List<AsyncQuorateClient> clients = new ArrayList<>();

  private AsyncQuorateClient client(ProcessCluster cluster) {
    AsyncQuorateClient client =
        AsyncQuorateClient.open(
            ClientOptions.builder(cluster.plan().clientAddresses())
                .deadline(TIMEOUT)
                .attemptTimeout(TIMEOUT.dividedBy(2))
                .silenceMax(TIMEOUT.dividedBy(2))
                .build());
    clients.add(client);
    return client;
  }

  private static byte[] key(int number) {
    return ("k" + number).getBytes(UTF_8);
  }

  private static byte[] value(int seed) {
    byte[] value = new byte[LARGEST];
    new Random(seed).nextBytes(value);
    return value;
  }

  @Test
  void moreValuesThanFitIntoTheHeapAreWrittenAndReadAtOnce() throws IOException {
    Launch launch =
        new Launch(List.of("-Xlog:gc:file=gc.log"), Map.of(), Map.of("limits.value", "64MiB"));
    try (ProcessCluster cluster =
        ProcessCluster.temporary(
            directory, new Shape(3, 1, "craft"), UnaryOperator.identity(), launch)) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      byte[] value = value(1);
      List<CompletableFuture<?>> calls = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        calls.add(client(cluster).put(key(i), value));
      }
      calls.forEach(CompletableFuture::join);
      calls.clear();
      for (int i = 0; i < CLIENTS; i++) {
        calls.add(
            client(cluster)
                .get(key(i % KEYS))
                .thenAccept(
                    found -> assertThat(Arrays.equals(found.orElseThrow(), value)).isTrue()));
      }
      calls.forEach(CompletableFuture::join);
      assertThat(cluster.nodes()).allMatch(NodeProcess::isAlive);
    } finally {
      clients.forEach(AsyncQuorateClient::close);
    }
  }
}
