package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Large values through splits of their regions (decision 0054). */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class CodedSplitTest extends CodedFixture {
  /** Any two of the three nodes restore what was written before the split, and after it. */
  @Test
  @Tag("slow")
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
  @Tag("slow")
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

  /** Bodies count, although they are not in the rows; those of former leaders as fragments. */
  @Test
  @Tag("slow")
  void aRegionSplitsByTheSizeOfItsLargeValues() throws IOException {
    start(
        4, "cluster.replicas = 3, placement.split-size = 2 MiB, storage.body-sweep-interval = 1s");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      for (int i = 0; i < 16; i++) {
        async.put(key("k%02d".formatted(i)), value(i, LARGE)).join();
      }
      await().atMost(TIMEOUT).until(() -> haveSplit(client, 2 << 20, 8 * LARGE));
      for (int i = 0; i < 16; i++) {
        assertThat(async.get(key("k%02d".formatted(i))).join()).contains(value(i, LARGE));
      }
    }
  }

  /**
   * Whether no region has more bytes than one may have, and all of them together have at least the
   * fragments of what was written, which are of half its length. How many there are depends on how
   * much was written before the first split.
   */
  private static boolean haveSplit(QuorateClient client, long bytesMax, long bytesMin) {
    List<RegionDescriptor> regions = client.status().nodes().get(0).state().orElseThrow().regions();
    List<Long> sizes =
        regions.stream()
            .flatMap(region -> client.status().replicas(region.id()).stream())
            .filter(ReplicaState::serving)
            .map(ReplicaState::rowBytes)
            .toList();
    return regions.size() > 1
        && sizes.size() == regions.size()
        && sizes.stream().allMatch(size -> size <= bytesMax)
        && sizes.stream().mapToLong(Long::longValue).sum() >= bytesMin;
  }
}
