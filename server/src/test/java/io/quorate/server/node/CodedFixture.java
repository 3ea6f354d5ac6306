package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** A cluster with coded replication, and values for it. */
abstract class CodedFixture extends ClusterFixture {
  /** The length of a value that is replicated as a body. */
  static final int LARGE = 300_000;

  /** The number of values of {@link #putValues}. */
  static final int KEYS = 8;

  static Stream<Preset> presets() {
    return Stream.of(Preset.named("craft").orElseThrow());
  }

  static byte[] key(String name) {
    return name.getBytes(UTF_8);
  }

  static byte[] value(long seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    return value;
  }

  /** Puts large values under the keys k0 to k7. */
  static void putValues(AsyncQuorateClient client) {
    for (int i = 0; i < KEYS; i++) {
      client.put(key("k" + i), value(i, LARGE)).join();
    }
  }

  static void assertValues(AsyncQuorateClient client) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(client.get(key("k" + i)).join()).as("k%d", i).contains(value(i, LARGE));
    }
  }

  /** Writes new values of a key until something is done, and returns the last one's seed. */
  static int rewrite(AsyncQuorateClient client, byte[] key, AtomicBoolean done) {
    int seed = 100;
    while (!done.get() || seed == 100) {
      client.put(key, value(++seed, LARGE)).join();
    }
    return seed;
  }

  /** Waits until a region is served and has its replicas on these nodes. */
  static void awaitAssigned(QuorateClient client, GroupId region, NodeId... nodes) {
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().replicas(region).stream()
                    .filter(ReplicaState::serving)
                    .anyMatch(replica -> replica.region().replicas().equals(List.of(nodes))));
  }

  /** The bytes of the files with bodies of a node. */
  long bodyBytes(int node) throws IOException {
    long bytes = 0;
    for (Path file : bodyFiles(node)) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  /** The files with bodies of a node, the oldest first. */
  List<Path> bodyFiles(int node) throws IOException {
    Path bodies = cluster.config(node).node().data().resolve("storage").resolve("bodies");
    try (Stream<Path> files = Files.list(bodies)) {
      return files.filter(file -> file.toString().endsWith(".bodies")).sorted().toList();
    }
  }

  /** Waits for a leader of the first region, and returns it. */
  static NodeId leader(AsyncQuorateClient client) {
    return await()
        .atMost(TIMEOUT)
        .until(() -> reportedLeader(client), Optional::isPresent)
        .orElseThrow();
  }

  private static Optional<NodeId> reportedLeader(AsyncQuorateClient client) {
    return client.status().join().nodes().stream()
        .flatMap(report -> report.state().stream())
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().equals(new GroupId(1)))
        .filter(ReplicaState::serving)
        .flatMap(replica -> replica.region().leader().stream())
        .findFirst();
  }

  /** The place of a node among the nodes of the cluster. */
  static int number(NodeId node) {
    return Integer.parseInt(node.value().substring(1)) - 1;
  }
}
