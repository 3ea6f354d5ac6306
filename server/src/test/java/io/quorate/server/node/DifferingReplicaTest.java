package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.ReplicaState;
import io.quorate.client.UnavailableException;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
import io.quorate.server.config.Preset;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Replicas are compared, and one whose rows are not those of the others is rebuilt. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class DifferingReplicaTest extends ClusterFixture {
  private static final GroupId ONE = new GroupId(1);
  private static final int ROWS = 100;

  static Stream<Preset> presets() {
    return presets("raft", "acqr buc rabia");
  }

  /** Its files are as they were written: no checksum tells. */
  @Test
  void aChangedRowIsFoundAndItsReplicaRebuilt() throws IOException {
    start(3, "storage.digest-interval = 2s");
    try (QuorateClient client = client()) {
      for (int i = 0; i < ROWS; i++) {
        client.put(key(i), "value " + i);
      }
      awaitEqual(client, verification(client));
      nodes.get(2).close();
      changeRow(key(50));
      nodes.set(2, start(2));
      awaitServing(nodes.get(2));
      await()
          .atMost(TIMEOUT)
          .until(
              () -> damage(client),
              damage -> damage.startsWith("The replica differs from n1 and n2 at "));
      await()
          .atMost(TIMEOUT)
          // While the other replica is made.
          .ignoreExceptionsInstanceOf(UncheckedIOException.class)
          .until(
              () ->
                  nodes.get(2).topology.hosted(ONE).stream()
                      .flatMap(replica -> replica.store().get(Key.utf8(key(50))).stream())
                      .map(value -> new String(value, StandardCharsets.UTF_8))
                      .findFirst(),
              value -> value.equals(Optional.of("value 50")));
      awaitEqual(client, verification(client));
    }
  }

  /** Requested again while the leadership of the region moves. */
  private static Position verification(QuorateClient client) {
    return await()
        .atMost(TIMEOUT)
        .ignoreExceptionsInstanceOf(UnavailableException.class)
        .until(() -> client.verifyRegion(ONE), position -> true);
  }

  /** What the node says of the replica that it has lost. */
  private static String damage(QuorateClient client) {
    return client.status().nodes().stream()
        .flatMap(report -> report.state().stream())
        .flatMap(state -> state.damages().values().stream())
        .findFirst()
        .orElse("");
  }

  private void changeRow(String key) throws IOException {
    try (Database database =
            Database.open(
                data(2).resolve("storage").resolve("db"), StorageSetup.options(cluster.config(2)));
        DatabaseBatch change = database.batch()) {
      assertThat(database.get(Family.DATA, Key.utf8(key).bytes())).isPresent();
      change.put(
          Family.DATA,
          Key.utf8(key).bytes(),
          ByteBuffer.wrap("changed".getBytes(StandardCharsets.UTF_8)));
      database.write(change);
      database.flush();
    }
  }

  private static void awaitEqual(QuorateClient client, Position position) {
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().replicas(ONE).stream()
                    .flatMap(replica -> replica.digest().stream())
                    .toList(),
            digests -> digests.size() == 3 && areEqual(digests, position));
  }

  private static boolean areEqual(List<ReplicaState.Digest> digests, Position from) {
    return digests.stream().distinct().count() == 1
        && digests.get(0).position().compareTo(from) >= 0;
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "key %04d", number);
  }
}
