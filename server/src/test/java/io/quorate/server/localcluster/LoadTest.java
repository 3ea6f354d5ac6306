package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.Admission;
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.BulkResult;
import io.quorate.client.BulkWriter;
import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.model.Position;
import io.quorate.testing.EmbeddedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application makes more writes at once than a client lets wait. */
@Timeout(300)
class LoadTest {
  private static final int WRITES = 100_000;
  private static EmbeddedCluster cluster;

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.start(1);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void aLoadEndsWithAResultOfEachWrite() {
    try (QuorateClient client = QuorateClient.connect(cluster.options());
        BulkWriter writer = client.bulk()) {
      for (int i = 0; i < WRITES; i++) {
        writer.put("bulk" + i, "value");
      }
      BulkResult result = writer.flush();
      assertThat(result.firstFailure()).isEmpty();
      assertThat(result.succeeded()).isEqualTo(WRITES);
      assertThat(client.get("bulk" + (WRITES - 1))).contains("value");
    }
  }

  @Test
  void asynchronousPutsInALoopWaitAndReadsPassThem() {
    ClientOptions options =
        cluster.options().toBuilder().admission(Admission.WAIT).inFlight(64, 64L << 20).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      client.put("present", "yes");
      AsyncQuorateClient writer = client.async().withDeadline(ClientOptions.DEADLINE_MAX);
      List<CompletableFuture<Position>> puts = new ArrayList<>();
      for (int i = 0; i < WRITES; i++) {
        puts.add(writer.put("loop" + i, "value"));
      }
      CompletableFuture<Void> all = CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new));
      assertThat(client.get("present")).contains("yes");
      assertThat(client.scanPrefix("present")).hasSize(1);
      assertThat(client.status().nodes()).hasSize(1);
      assertThat(all).as("the load, when reads and status have passed it").isNotDone();
      await().atMost(Duration.ofSeconds(250)).until(all::isDone);
      assertThat(puts).allSatisfy(put -> assertThat(put).isCompleted());
    }
  }
}
