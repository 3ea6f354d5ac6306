package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.common.Failures;
import io.quorate.testing.EmbeddedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An ordered client keeps its order while responses are lost and nodes are cut off. */
@Timeout(240)
class OrderedWritesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration IMPATIENCE = Duration.ofSeconds(1);
  private static final int WRITES = 20;

  private final Map<Integer, CompletableFuture<?>> calls = new TreeMap<>();

  private List<CompletableFuture<?>> append(AsyncQuorateClient client) {
    List<CompletableFuture<?>> added = new ArrayList<>();
    for (int i = 0; i < WRITES; i++) {
      int number = calls.size();
      CompletableFuture<?> call = client.append("key", number + " ");
      calls.put(number, call);
      added.add(call);
    }
    return added;
  }

  private static QuorateException failure(CompletableFuture<?> call) {
    return (QuorateException) Failures.unwrap(call.handle((value, cause) -> cause).join());
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void appendsAreInTheOrderOfTheCalls(String preset) {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3, preset);
        QuorateClient client =
            QuorateClient.connect(
                cluster.options().toBuilder().attemptTimeout(Duration.ofMillis(400)).build())) {
      client.withDeadline(PATIENCE).put("key", "");
      AsyncQuorateClient ordered = client.withDeadline(PATIENCE).ordered().async();
      for (int node = 0; node < cluster.size(); node++) {
        append(ordered).forEach(CompletableFuture::join);
        cluster.faults().dropResponses();
        List<CompletableFuture<?>> impatient = append(ordered.withDeadline(IMPATIENCE));
        List<CompletableFuture<?>> patient = append(ordered);
        assertThat(failure(impatient.get(0))).isInstanceOf(IndeterminateException.class);
        assertThat(failure(impatient.get(WRITES - 1))).isInstanceOf(UnavailableException.class);
        cluster.faults().heal();
        cluster.faults().isolate(node);
        patient.forEach(CompletableFuture::join);
        append(ordered).forEach(CompletableFuture::join);
        cluster.faults().heal();
      }
      check(client.withDeadline(PATIENCE).get("key").orElseThrow());
    }
  }

  private void check(String value) {
    List<Integer> found = Arrays.stream(value.split(" ")).map(Integer::valueOf).toList();
    assertThat(found).isSorted().doesNotHaveDuplicates();
    calls.forEach(
        (number, call) -> {
          QuorateException failure = failure(call);
          if (failure == null) {
            assertThat(found).contains(number);
          } else if (!(failure instanceof IndeterminateException)) {
            assertThat(found).doesNotContain(number);
          }
        });
  }
}
