package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import io.quorate.server.topology.LocalReplica;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A changed bit among the rows of a node heals without an operator, and only when that is safe. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class DatabaseRebuildTest extends ClusterFixture {
  private static final int KEYS = 60;

  /** Longer than a node takes to decide, which is in the second run from now at the latest. */
  private static final Duration SAFE = DatabaseRebuild.INTERVAL.multipliedBy(3);

  private static final String SCRUBBED = "storage.scrub-interval = 200ms";

  /** Why nodes ended. */
  private final Map<Integer, ConsensusException.Fatal> ended = new ConcurrentHashMap<>();

  static Stream<Preset> presets() {
    return presets("raft", "acqr craft");
  }

  @Override
  void failed(int number, ConsensusException.Fatal failure) {
    ended.put(number, failure);
  }

  /** Of each second key in a blob file. */
  private static String value(int key) {
    return key + ":" + "v".repeat(key % 2 == 0 ? 100 : 3_000);
  }

  private void startWithRows(String settings) throws IOException {
    start(3, "cluster.regions = 2, storage.flush-interval = 200ms\n" + settings);
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put("k" + i, value(i));
      }
    }
    for (int i = 0; i < 3; i++) {
      awaitFile(i, ".blob");
    }
  }

  private void awaitFile(int node, String suffix) {
    await().atMost(TIMEOUT).until(() -> hasFile(node, suffix));
  }

  private boolean hasFile(int node, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(database(node))) {
      return files.anyMatch(file -> file.toString().endsWith(suffix));
    }
  }

  private Path database(int node) {
    return data(node).resolve("storage").resolve("db");
  }

  private Path setAside(int node) {
    return data(node).resolve("storage").resolve("db.set-aside");
  }

  private String flip(int node, String suffix) throws IOException {
    Path file = DamagedFiles.largest(database(node), ".*\\" + suffix);
    DamagedFiles.flip(file, (int) Files.size(file) / 4);
    return file.getFileName().toString();
  }

  /** Every file, so that one of the rows that are read is damaged, whichever files are in use. */
  private void flipEach(int node, String suffix) throws IOException {
    List<Path> damaged;
    try (Stream<Path> files = Files.list(database(node))) {
      damaged = files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
    for (Path file : damaged) {
      DamagedFiles.flip(file, (int) Files.size(file) / 4);
    }
  }

  /** As a supervisor does it. */
  private void restart(int node) {
    await().atMost(TIMEOUT).until(() -> ended.containsKey(node));
    nodes.get(node).close();
    nodes.set(node, start(node));
    awaitServing(nodes.get(node));
  }

  private Optional<NodeState> state(QuorateClient client, int node) {
    return client.status().nodes().stream()
        .filter(report -> report.id().equals(Optional.of(new NodeId("n" + (node + 1)))))
        .flatMap(report -> report.state().stream())
        .findFirst();
  }

  private boolean isRebuilt(QuorateClient client) {
    ClusterStatus status = client.status();
    boolean isWell =
        status.nodes().stream()
                .map(NodeReport::state)
                .flatMap(Optional::stream)
                .filter(node -> node.lostReplicas().isEmpty() && node.acceptsWrites())
                .filter(node -> node.storageFailures().isEmpty() && node.replicas().size() == 3)
                .count()
            == 3;
    return isWell
        && Stream.of(0, 1, 2)
            .map(GroupId::new)
            .allMatch(region -> areEqual(status.replicas(region)));
  }

  private static boolean areEqual(List<ReplicaState> replicas) {
    return replicas.stream().allMatch(replica -> replica.members().size() == 3)
        && replicas.stream().mapToLong(ReplicaState::applied).distinct().count() == 1;
  }

  /** Reads the rows of one node, whatever the others have. */
  private void requireRows(int node) {
    for (int i = 0; i < KEYS; i++) {
      Key key = Key.utf8("k" + i);
      LocalReplica replica =
          nodes.get(node).topology().hosted().stream()
              .filter(each -> !each.assignment().id().equals(new GroupId(0)))
              .filter(each -> each.assignment().range().contains(key))
              .findFirst()
              .orElseThrow();
      Optional<byte[]> value = replica.store().get(key);
      assertThat(value.map(bytes -> new String(bytes, StandardCharsets.UTF_8))).contains(value(i));
    }
  }

  private void requireAllKeys(QuorateClient client) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(client.get("k" + i)).contains(value(i));
    }
  }

  private void requireRebuilt(QuorateClient client, int node, String damaged) {
    assertThat(ended.get(node).getMessage()).containsIgnoringCase(damaged);
    await().atMost(Duration.ofMinutes(3)).until(() -> isRebuilt(client));
    await().atMost(TIMEOUT).until(() -> !Files.exists(setAside(node)));
    requireRows(node);
  }

  @Test
  void aDamagedTableIsFoundAndTheNodeIsRebuiltWhileClientsReadAndWrite() throws IOException {
    startWithRows(SCRUBBED);
    try (QuorateClient client = client()) {
      String damaged = flip(2, ".sst");
      restart(2);
      requireAllKeys(client);
      client.put("k0", value(0));
      requireRebuilt(client, 2, damaged);
      nodes.get(0).close();
      requireAllKeys(client);
      client.put("k1", value(1));
    }
  }

  @Test
  void aReadOfADamagedValueIsServedElsewhereAndTheNodeIsRebuilt() throws IOException {
    startWithRows("");
    nodes.get(2).close();
    flipEach(2, ".blob");
    nodes.set(2, start(2));
    awaitServing(nodes.get(2));
    try (QuorateClient client = client()) {
      await().atMost(TIMEOUT).until(() -> isDamageMet(client));
      restart(2);
      // RocksDB does not name the file of a value.
      requireRebuilt(client, 2, "blob");
    }
  }

  /** Where leaders serve reads, that node leads: an election may have moved it since. */
  private void lead(QuorateClient client, NodeId node) {
    for (int region = 1; region <= 2; region++) {
      try {
        client.transferLeader(new GroupId(region), node);
      } catch (UnavailableException e) {
        // The damage was met already, or the next attempt does it.
        return;
      }
    }
  }

  /** Each client prefers other nodes at first; later the fastest ones, where any serves reads. */
  private boolean isDamageMet(QuorateClient client) {
    if (preset.mode().engine().equals("raft")) {
      lead(client, new NodeId("n3"));
    }
    try (QuorateClient reader = client()) {
      requireAllKeys(reader);
    }
    return ended.containsKey(2)
        || state(client, 2).filter(node -> !node.acceptsWrites()).isPresent();
  }

  @Test
  @Tag("slow")
  void nothingIsRebuiltWithoutAMajorityElsewhere() throws IOException {
    startWithRows(SCRUBBED);
    try (QuorateClient client = client()) {
      nodes.get(0).close();
      String damaged = flip(2, ".sst");
      awaitWaiting(client, 2);
      assertThat(ended).isEmpty();
      assertThat(setAside(2)).doesNotExist();
      nodes.set(0, start(0));
      awaitServing(nodes.get(0));
      restart(2);
      requireRebuilt(client, 2, damaged);
    }
  }

  /** The third one is off until both have been found damaged. */
  @Test
  void twoDamagedNodesAreNotRebuiltAtTheSameTime() throws IOException {
    startWithRows(SCRUBBED);
    try (QuorateClient client = client()) {
      nodes.get(0).close();
      for (int node : new int[] {1, 2}) {
        flip(node, ".sst");
        awaitWaiting(client, node);
      }
      nodes.set(0, start(0));
      awaitServing(nodes.get(0));
      await().during(SAFE).atMost(TIMEOUT).until(ended::isEmpty);
    }
  }

  /** Until the node has found out that it may not lose its replicas. */
  private void awaitWaiting(QuorateClient client, int node) {
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                state(client, node).stream()
                    .flatMap(state -> state.storageFailures().stream())
                    .anyMatch(failure -> failure.contains("not rebuilt") && isObstacle(failure)));
  }

  private static boolean isObstacle(String failure) {
    return failure.contains("no majority") || failure.contains("no other node serves");
  }
}
