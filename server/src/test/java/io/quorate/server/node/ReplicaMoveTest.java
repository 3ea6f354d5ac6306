package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.config.Preset;
import io.quorate.server.node.replicas.ReplicaPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A replica moves to a fourth node. Each test has a cluster of its own. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class ReplicaMoveTest extends ClusterFixture {
  private static final GroupId REGION = new GroupId(1);
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final NodeId N4 = new NodeId("n4");
  private static final int KEYS = 100;

  static Stream<Preset> presets() {
    return Stream.of("raft", "acqr").map(name -> Preset.named(name).orElseThrow());
  }

  @Test
  void aReplicaMovesWhileClientsWriteAndReturns()
      throws IOException, ExecutionException, InterruptedException {
    start(4, "cluster.replicas = 3");
    try (QuorateClient client = client()) {
      AtomicBoolean moved = new AtomicBoolean();
      CompletableFuture<Long> writes = CompletableFuture.supplyAsync(() -> count(client, moved));
      assertThat(moveReplica("1", "n1", "n4"))
          .isEqualTo("The replica of region 1 has moved from n1 to n4.\n");
      moved.set(true);
      awaitAssigned(client, N4, N2, N3);
      String count = writes.get().toString();
      assertThat(client.get("counter")).contains(count);
      awaitRemoved(0, REGION);

      client.moveReplica(REGION, N4, N1);
      awaitAssigned(client, N1, N2, N3);
      // The returned replica is one of a majority now.
      nodes.get(1).close();
      client.put("after", "v");
      assertThat(client.get("after")).contains("v");
      assertThat(client.get("counter")).contains(count);
    }
  }

  /** Executes the command line as it is documented in docs/operations.md. */
  private String moveReplica(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), to, to, false);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--at=" + cluster.seeds());
    ClientCommands.named("move-replica", terminal)
        .orElseThrow()
        .execute(all.toArray(String[]::new));
    return out.toString(UTF_8);
  }

  /** Increments until the replica has moved; each increment has its effect once. */
  private static long count(QuorateClient client, AtomicBoolean moved) {
    long count = 0;
    while (!moved.get() || count == 0) {
      assertThat(client.incrementAndGet("counter", 1)).isEqualTo(++count);
    }
    return count;
  }

  /** The new node is down when the move is planned, and the former one until it is complete. */
  @Test
  @Tag("slow")
  void aMoveSurvivesFailuresOfTheNodesThatTakePart() throws IOException {
    start(4, "cluster.replicas = 3");
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put("k" + i, "v" + i);
      }
      nodes.get(3).close();
      client.moveReplica(REGION, N1, N4);
      assertThat(moveReplica("1", "n1", "n4", "--no-wait"))
          .isEqualTo("A replica of region 1 moves from n1 to n4.\n");
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  moveReplica("1", "n2", "n4", "--timeout=1s")
                      .contains("A move from n1 to n4 of a replica of region 1 is under way"));
      nodes.get(0).close();
      nodes.set(3, start(3));
      awaitAssigned(client, N4, N2, N3);
      nodes.set(0, start(0));
      awaitRemoved(0, REGION);
      stop();
      for (int i = 0; i < nodes.size(); i++) {
        nodes.set(i, start(i));
      }
      for (int i = 0; i < KEYS; i++) {
        assertThat(client.get("k" + i)).contains("v" + i);
      }
    }
  }

  /** The group of the former replica would acknowledge entries, which are lost with its log. */
  @Test
  @Tag("slow")
  void aReplicaReturnsWhenTheFormerOneIsRemoved() throws IOException {
    start(4, "cluster.replicas = 3");
    try (Held removal = new Held(ReplicaPoints.WITHDRAWN);
        QuorateClient client = client()) {
      client.put("k", "v");
      client.moveReplica(REGION, N1, N4);
      awaitAssigned(client, N4, N2, N3);
      removal.awaitReached();
      client.moveReplica(REGION, N4, N1);
      await()
          .during(Duration.ofSeconds(2))
          .atMost(TIMEOUT)
          .until(() -> !members(client).contains(N1));
      removal.release();
      awaitAssigned(client, N1, N2, N3);
      nodes.get(1).close();
      client.put("after", "v");
      assertThat(client.get("k")).contains("v");
    }
  }

  /** As with a hung disk: it would delay every later change of the region. */
  @Test
  void aMoveToANodeThatRespondsAndDoesNotOpenTheReplicaIsTakenBack() throws IOException {
    start(4, "cluster.replicas = 3, placement.withdraw-after = 1s");
    try (Held opening = new Held(ReplicaPoints.OPENED);
        QuorateClient client = client()) {
      assertThat(moveReplica("1", "n1", "n4"))
          .startsWith("The cluster has taken the move back, because node n4");
      opening.awaitReached();
      assertThat(client.status().plans()).isEmpty();
      assertThat(assigned(client)).containsExactly(N1, N2, N3);
    }
  }

  /** Keeps threads at a failpoint until it is released or closed. */
  private static final class Held implements AutoCloseable {
    private final Failpoint point;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    Held(Failpoint point) {
      this.point = point;
      point.on(
          (at, subject) -> {
            reached.countDown();
            await().atMost(TIMEOUT).until(() -> released.getCount() == 0);
          });
    }

    void awaitReached() {
      await().atMost(TIMEOUT).until(() -> reached.getCount() == 0);
    }

    void release() {
      released.countDown();
    }

    @Override
    public void close() {
      release();
      point.off();
    }
  }

  /** The members of the group, as the serving replicas report. */
  private static Set<NodeId> members(QuorateClient client) {
    return client.status().replicas(REGION).stream()
        .filter(ReplicaState::serving)
        .flatMap(replica -> replica.members().stream())
        .collect(Collectors.toSet());
  }

  @Test
  void impossibleMovesAreRejected() throws IOException {
    start(4, "cluster.replicas = 3");
    try (QuorateClient client = client()) {
      client.put("k", "v");
      assertRejected(client, REGION, N4, N1, "has no replica on n4");
      assertRejected(client, REGION, N1, N2, "has a replica on n2 already");
      assertRejected(client, REGION, N1, new NodeId("n9"), "no node n9");
      assertRejected(client, new GroupId(9), N1, N4, "no region 9");
      assertRejected(client, REGION, N1, N1, "to another node than n1");
    }
  }

  private static void assertRejected(
      QuorateClient client, GroupId region, NodeId from, NodeId to, String reason) {
    assertThatThrownBy(() -> client.moveReplica(region, from, to))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(reason);
  }

  private static void awaitAssigned(QuorateClient client, NodeId... nodes) {
    await().atMost(TIMEOUT).until(() -> assigned(client).equals(List.of(nodes)));
  }

  /** The replicas that a serving replica of the region reports. */
  private static List<NodeId> assigned(QuorateClient client) {
    return client.status().replicas(REGION).stream()
        .filter(ReplicaState::serving)
        .map(replica -> replica.region().replicas())
        .findFirst()
        .orElse(List.of());
  }
}
