package io.quorate.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyAwareSelectorTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final List<NodeId> ALL = List.of(A, B, C);
  private static final long SEED = 20261122;
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  private final Random random = new Random(SEED);
  private final LatencyAwareSelector selector = new LatencyAwareSelector(random::nextDouble);
  private long now;

  @Test
  void theSlowestReplicaComesLast() {
    respond(A, 1, 0);
    respond(B, 10, 0);
    respond(C, 1, 0);
    assertThat(selector.order(ALL, now)).last().isEqualTo(B);
  }

  @Test
  void theReplicaWithTheHighestLoadComesLast() {
    respond(A, 1, 5);
    respond(B, 1, 500);
    respond(C, 1, 5);
    assertThat(selector.order(ALL, now)).last().isEqualTo(B);
  }

  @Test
  void equalReplicasComeFirstEquallyOften() {
    ALL.forEach(node -> respond(node, 1, 3));
    Map<NodeId, Integer> first = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      first.merge(selector.order(ALL, now).get(0), 1, Integer::sum);
    }
    assertThat(first.values()).as("seed %d", SEED).allMatch(count -> count > 800 && count < 1200);
  }

  @Test
  void aReplicaThatFailedComesLastForAWhile() {
    ALL.forEach(node -> respond(node, 1, 0));
    selector.failed(A, now);
    assertThat(selector.order(ALL, now)).last().isEqualTo(A);
    assertThat(selector.isDoubted(A, now)).isTrue();
    now += Duration.ofSeconds(2).toNanos();
    assertThat(selector.isDoubted(A, now)).isFalse();
  }

  @Test
  void aReplicaThatWasSlowIsTriedAgainLater() {
    respond(A, 1, 0);
    respond(B, 100, 0);
    now += Duration.ofSeconds(10).toNanos();
    respond(A, 1, 0);
    Map<NodeId, Integer> first = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      first.merge(selector.order(List.of(A, B), now).get(0), 1, Integer::sum);
    }
    assertThat(first).as("seed %d", SEED).containsKeys(A, B);
  }

  /** A model: each replica serves one request at a time, and one replica is ten times slower. */
  @Test
  void aSlowReplicaGetsFewRequests() {
    Map<NodeId, Long> busyUntil = new HashMap<>();
    Map<NodeId, Integer> served = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      now += MILLI;
      NodeId chosen = selector.order(ALL, now).get(0);
      long service = chosen.equals(B) ? 10 * MILLI : MILLI;
      long end = Math.max(now, busyUntil.getOrDefault(chosen, 0L)) + service;
      busyUntil.put(chosen, end);
      served.merge(chosen, 1, Integer::sum);
      selector.responded(chosen, end - now, 0, now);
    }
    assertThat(served.getOrDefault(B, 0)).as("seed %d", SEED).isBetween(1, 1000);
    assertThat(served.get(A)).isGreaterThan(3500);
    assertThat(served.get(C)).isGreaterThan(3500);
  }

  private void respond(NodeId node, long millis, int load) {
    selector.responded(node, millis * MILLI, load, now);
  }
}
