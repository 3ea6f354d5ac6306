package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bodies of large values through restarts, losses and repair. Each test has a cluster of its own.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class CodedReplicationTest extends CodedFixture {
  private static final int LARGE = 300_000;

  /** Three complete copies would be three times the bytes of the values. */
  @Test
  void followersHoldFragments() throws IOException {
    start(3, "raft.coded.fallback-after = 30s, raft.coded.timeout = 1m");
    int count = 20;
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async, count);
    }
    long stored = 0;
    for (int i = 0; i < nodes.size(); i++) {
      stored += bodyBytes(i);
    }
    long all = (long) count * LARGE;
    assertThat(stored).as("a complete copy and two halves").isBetween(2 * all, all * 5 / 2);
  }

  @Test
  void anotherLeaderRestoresValuesFromFragments() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async, 5);
      NodeId leader = leader(async);
      nodes.get(number(leader)).close();
      assertValues(async, 5);
      async.put(key("k0"), value(10, LARGE)).join();
      assertThat(async.get(key("k0")).join()).as("with two of three").contains(value(10, LARGE));
    }
  }

  @Test
  @Tag("slow")
  void valuesSurviveARestartOfAllNodes() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async, 5);
      stop();
      startAllAgain();
      assertValues(async, 5);
    }
  }

  @Test
  @Tag("slow")
  void theSpaceOfReplacedValuesIsReturned() throws IOException {
    start(3, "storage.flush-interval = 200ms, storage.body-sweep-interval = 200ms");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      int count = 400;
      for (int i = 0; i < count; i += 20) {
        List<CompletableFuture<Position>> writes = new ArrayList<>();
        for (int j = 0; j < 20; j++) {
          writes.add(async.put(key("k" + j), value(i + j, LARGE)));
        }
        writes.forEach(CompletableFuture::join);
      }
      long all = (long) count * LARGE;
      for (int i = 0; i < nodes.size(); i++) {
        int node = i;
        // The newest segment grows until it is sealed.
        await().atMost(TIMEOUT).until(() -> bodyBytes(node) < all / 4 + (80 << 20));
      }
      for (int j = 0; j < 20; j++) {
        assertThat(async.get(key("k" + j)).join()).contains(value(count - 20 + j, LARGE));
      }
    }
  }

  @Test
  void aNodeThatWasDownRestoresItsFragments() throws Exception {
    start(3, "storage.body-repair-interval = 200ms");
    int count = 20;
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("small"), value(1, 100)).join();
      int down = (number(leader(async)) + 1) % nodes.size();
      nodes.get(down).close();
      putValues(async, count);
      restart(down);
      long all = (long) count * LARGE;
      await().atMost(TIMEOUT).until(() -> bodyBytes(down) >= all / 2);
      await().atMost(TIMEOUT).until(() -> metric(down, "quorate_storage_bodies_missing") == 0);
      assertThat(bodyBytes(down)).as("fragments, half of each value").isLessThan(all * 6 / 10);
      assertThat(metric(down, "quorate_storage_bodies_restored_total")).isEqualTo(count);
      assertReadableWithoutEachOtherNode(async, down, count);
    }
  }

  @Test
  @Tag("slow")
  void damagedBodiesAreFoundAndRestored() throws Exception {
    start(3, "storage.body-repair-interval = 200ms, storage.body-scrub-interval = 200ms");
    int count = 6;
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async, count - 1);
      int damaged = (number(leader(async)) + 1) % nodes.size();
      nodes.get(damaged).close();
      restart(damaged);
      // In a second segment: a start verifies the last one.
      async.put(key("k" + (count - 1)), value(count - 1, LARGE)).join();
      await().atMost(TIMEOUT).until(() -> metric(damaged, "quorate_storage_bodies") == count);
      nodes.get(damaged).close();
      damageEachBody(bodyFiles(damaged).get(0));
      restart(damaged);
      await()
          .atMost(TIMEOUT)
          .until(() -> metric(damaged, "quorate_storage_bodies_restored_total") == count - 1);
      assertThat(metric(damaged, "quorate_storage_bodies_damaged_total")).isEqualTo(count - 1);
      assertReadableWithoutEachOtherNode(async, damaged, count);
    }
  }

  @Test
  void statusCountsWhatEachNodeHolds() throws IOException {
    start(
        3,
        "raft.coded.fallback-after = 30s, raft.coded.timeout = 1m,"
            + " storage.body-repair-interval = 200ms");
    int count = 5;
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("small"), value(1, 100)).join();
      putValues(async, count);
      long complete = 0;
      long bytes = 0;
      for (int i = 0; i < nodes.size(); i++) {
        ReplicaState.Bodies held =
            awaitBodies(async, i, bodies -> bodies.fragments() + bodies.complete() == count);
        assertThat(held.degraded()).isZero();
        complete += held.complete();
        bytes += held.bytes();
      }
      assertThat(complete).as("copies of leaders").isEqualTo(count);
      assertThat(bytes).as("a copy and two halves of each").isEqualTo(2L * count * LARGE);
      assertThat(bodies(async, 0, 0)).as("of the metadata").isEmpty();

      stop();
      for (int i = 0; i < nodes.size(); i++) {
        for (Path file : bodyFiles(i)) {
          Files.delete(file);
        }
      }
      startAllAgain();
      for (int i = 0; i < nodes.size(); i++) {
        ReplicaState.Bodies held = awaitBodies(async, i, bodies -> bodies.missing() == count);
        assertThat(held).isEqualTo(new ReplicaState.Bodies(0, 0, count, 0, 0));
      }
      async.put(key("k0"), value(10, LARGE)).join();
      for (int i = 0; i < nodes.size(); i++) {
        awaitBodies(async, i, bodies -> bodies.missing() == count - 1);
      }
    }
  }

  @Test
  @Tag("slow")
  void statusCountsDamagedBodiesThatCannotBeRestored() throws IOException {
    start(3, "storage.body-repair-interval = 200ms, storage.body-scrub-interval = 200ms");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("damaged"), value(1, LARGE)).join();
      stop();
      startAllAgain();
      // In a second segment: a start verifies the last one.
      async.put(key("intact"), value(2, LARGE)).join();
      stop();
      for (int i = 0; i < nodes.size(); i++) {
        damageEachBody(bodyFiles(i).get(0));
      }
      startAllAgain();
      for (int i = 0; i < nodes.size(); i++) {
        assertThat(awaitBodies(async, i, bodies -> bodies.damaged() == 1).degraded()).isEqualTo(1);
      }
      async.delete(key("damaged")).join();
      for (int i = 0; i < nodes.size(); i++) {
        awaitBodies(async, i, bodies -> bodies.degraded() == 0);
      }
    }
  }

  private static void putValues(AsyncQuorateClient client, int count) {
    for (int i = 0; i < count; i++) {
      client.put(key("k" + i), value(i, LARGE)).join();
    }
  }

  private static void assertValues(AsyncQuorateClient client, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(client.get(key("k" + i)).join()).contains(value(i, LARGE));
    }
  }

  private void startAllAgain() {
    for (int i = 0; i < nodes.size(); i++) {
      nodes.set(i, start(i));
    }
    nodes.forEach(ClusterFixture::awaitServing);
  }

  private static ReplicaState.Bodies awaitBodies(
      AsyncQuorateClient client, int node, Predicate<ReplicaState.Bodies> condition) {
    return await()
        .atMost(TIMEOUT)
        .until(() -> bodies(client, node, 1), found -> found.filter(condition).isPresent())
        .orElseThrow();
  }

  /** What a node reports of the bodies of a region. */
  private static Optional<ReplicaState.Bodies> bodies(
      AsyncQuorateClient client, int node, int region) {
    return client.status().join().nodes().stream()
        .flatMap(report -> report.state().stream())
        .filter(state -> number(state.id()) == node)
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().equals(new GroupId(region)))
        .flatMap(replica -> replica.bodies().stream())
        .findFirst();
  }

  /** Changes bytes of each fragment and each copy, but none at the begin of a record. */
  private static void damageEachBody(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    for (int i = LARGE / 4; i < bytes.length; i += LARGE / 2) {
      bytes[i]++;
    }
    Files.write(file, bytes);
  }

  private void restart(int node) {
    nodes.set(node, start(node));
    awaitServing(nodes.get(node));
  }

  private void assertReadableWithoutEachOtherNode(AsyncQuorateClient async, int node, int count) {
    for (int other = 0; other < nodes.size(); other++) {
      if (other != node) {
        nodes.get(other).close();
        assertValues(async, count);
        restart(other);
      }
    }
  }

  /** The value of a metric of a node; not a number before the node has measured it. */
  private double metric(int node, String name) throws Exception {
    URI page = URI.create("http://127.0.0.1:" + nodes.get(node).adminPort() + "/metrics");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }
}
