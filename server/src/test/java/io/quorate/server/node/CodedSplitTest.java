package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.ReplicaState;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Large values through splits of their regions (decision 0054). */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class CodedSplitTest extends CodedFixture {
  @AfterEach
  @Override
  void stop() {
    super.stop();
  }

  /** Any two of the three nodes restore what was written before the split, and after it. */
  @Test
  void everyMajorityOfTheNewRegionsHasTheValues()
      throws IOException, ExecutionException, InterruptedException {
    start(3, "storage.body-sweep-interval = 1s");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async);
      AtomicBoolean split = new AtomicBoolean();
      CompletableFuture<Integer> writes =
          CompletableFuture.supplyAsync(() -> rewrite(async, key("k5/written"), split));
      GroupId child = client.splitRegion(key("k4"));
      awaitServed(client, child);
      GroupId grandchild = client.splitRegion(key("k6"));
      awaitServed(client, grandchild);
      split.set(true);
      int last = writes.get();
      async.append(key("k7"), "tail".getBytes(UTF_8)).join();
      for (int node = 0; node < 3; node++) {
        nodes.get(node).close();
        for (int i = 0; i < 7; i++) {
          assertThat(async.get(key("k" + i)).join()).as("k%d", i).contains(value(i, LARGE));
        }
        assertThat(async.get(key("k5/written")).join()).contains(value(last, LARGE));
        assertThat(async.get(key("k7")).join().orElseThrow()).hasSize(LARGE + 4);
        nodes.set(node, start(node));
        awaitServing(nodes.get(node));
      }
    }
  }

  /** A new member of the child needs copies of bodies that the child had when it began. */
  @Test
  void aReplicaOfTheNewRegionMoves() throws IOException {
    start(4, "cluster.replicas = 3, placement.policy = none");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async);
      GroupId child = client.splitRegion(key("k4"));
      awaitServed(client, child);
      client.moveReplica(child, new NodeId("n1"), new NodeId("n4"));
      awaitAssigned(client, child, new NodeId("n4"), new NodeId("n2"), new NodeId("n3"));
      nodes.get(1).close();
      assertValues(async);
      async.put(key("k9"), value(9, LARGE)).join();
    }
  }

  /** Bodies count, although they are not in the rows. */
  @Test
  @Tag("slow")
  void aRegionSplitsByTheSizeOfItsLargeValues() throws IOException {
    start(3, "placement.split-size = 3 MiB, storage.body-sweep-interval = 1s");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      for (int i = 0; i < 16; i++) {
        async.put(key("k%02d".formatted(i)), value(i, LARGE)).join();
      }
      await().atMost(TIMEOUT).until(() -> hasTwoRegionsOf(client, 1 << 20));
      for (int i = 0; i < 16; i++) {
        assertThat(async.get(key("k%02d".formatted(i))).join()).contains(value(i, LARGE));
      }
    }
  }

  /** Whether there are two regions, with so many bytes or more in the replica that serves. */
  private static boolean hasTwoRegionsOf(QuorateClient client, long bytesMin) {
    return client.status().nodes().get(0).state().orElseThrow().regions().size() == 2
        && Stream.of(1, 2)
            .allMatch(
                region ->
                    client.status().replicas(new GroupId(region)).stream()
                        .filter(ReplicaState::serving)
                        .anyMatch(replica -> replica.rowBytes() >= bytesMin));
  }
}
