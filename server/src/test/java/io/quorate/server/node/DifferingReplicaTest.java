package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.server.config.Preset;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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
  private static final int ROWS_OF_TWO_PAGES = 5_000;

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
                  nodes.get(2).topology().hosted(ONE).stream()
                      .flatMap(replica -> replica.store().get(Key.utf8(key(50))).stream())
                      .map(value -> new String(value, StandardCharsets.UTF_8))
                      .findFirst(),
              value -> value.equals(Optional.of("value 50")));
      awaitEqual(client, verification(client));
    }
  }

  /** Two of two: nobody knows which one is right, which an operator has to decide. */
  @Test
  void aDifferenceWithoutAMajorityIsAProblemOfHealth() throws Exception {
    start(2, "storage.digest-interval = 2s");
    try (QuorateClient client = client()) {
      client.put(key(1), "value");
      awaitEqual(client, verification(client), 2);
      nodes.get(1).close();
      changeRow(1, key(1));
      nodes.set(1, start(1));
      awaitServing(nodes.get(1));
      for (int node : new int[] {0, 1}) {
        await()
            .atMost(TIMEOUT)
            .until(
                () -> health(node),
                text ->
                    text.contains("Region 1: this replica differs from")
                        && text.contains("no majority of the replicas agrees"));
      }
    }
  }

  private String health(int node) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + cluster.adminPort(node) + "/health"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** The replica that differs closes later, and may lead until then. */
  @Test
  void noRowIsReadOnceAReplicaIsFoundToDiffer() throws IOException {
    start(1, "");
    try (QuorateClient client = client()) {
      client.put(key(1), "value");
      LocalReplica replica = nodes.get(0).topology().hosted(ONE).orElseThrow();
      replica.store().refuseReads("The replica differs.");
      assertThatThrownBy(() -> replica.store().get(Key.utf8(key(1))))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("The replica differs.");
    }
  }

  /** A node leaves digests out if more are requested than may wait. */
  @Test
  void moreRegionsThanDigestsMayWaitAreVerified() throws IOException {
    String firsts = "abcdefghijkl";
    start(
        1,
        "cluster.split-keys = "
            + firsts.chars().skip(1).mapToObj(Character::toString).toList().toString());
    try (QuorateClient client = client()) {
      for (char first : firsts.toCharArray()) {
        CompletableFuture.allOf(
                IntStream.range(0, ROWS_OF_TWO_PAGES)
                    .mapToObj(i -> client.async().put(first + key(i), "value"))
                    .toArray(CompletableFuture<?>[]::new))
            .join();
      }
    }
    String table = command("verify");
    assertThat(table.lines().filter(line -> line.endsWith("equal on n1")))
        .hasSize(1 + firsts.length());
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
    changeRow(2, key);
  }

  private void changeRow(int node, String key) throws IOException {
    try (Database database =
            Database.open(
                data(node).resolve("storage").resolve("db"),
                StorageSetup.options(cluster.config(node)));
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
    awaitEqual(client, position, 3);
  }

  private static void awaitEqual(QuorateClient client, Position position, int replicas) {
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().replicas(ONE).stream()
                    .flatMap(replica -> replica.digest().stream())
                    .toList(),
            digests -> digests.size() == replicas && areEqual(digests, position));
  }

  private static boolean areEqual(List<ReplicaState.Digest> digests, Position from) {
    return digests.stream().distinct().count() == 1
        && digests.get(0).position().compareTo(from) >= 0;
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "key %04d", number);
  }
}
