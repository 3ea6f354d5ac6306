package io.quorate.client.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.quorate.common.DecodeException;
import io.quorate.model.Key;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopologySnapshotTest {
  private static Region region(int id, String start, String end) {
    Region.Builder region =
        Region.newBuilder()
            .setId(id)
            .setEpoch(1)
            .setStart(ByteString.copyFromUtf8(start))
            .addReplicas("n1");
    return end.isEmpty() ? region.build() : region.setEnd(ByteString.copyFromUtf8(end)).build();
  }

  private static Topology topology(Region... regions) {
    return Topology.newBuilder()
        .setClusterId("test")
        .setFounding(FoundingId.bytes(new UUID(1, 2)))
        .addNodes(Node.newBuilder().setId("n1").setHost("h").setClientPort(1))
        .addAllRegions(List.of(regions))
        .build();
  }

  @Test
  void everyKeyIsInTheRegionWhoseRangeHoldsIt() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    TreeSet<String> splits = new TreeSet<>();
    for (int i = 0; i < 40; i++) {
      splits.add(Integer.toString(random.nextInt(10_000)));
    }
    List<Region> regions = new ArrayList<>();
    String start = "";
    for (String split : splits) {
      regions.add(region(regions.size() + 1, start, split));
      start = split;
    }
    regions.add(region(regions.size() + 1, start, ""));
    TopologySnapshot snapshot = TopologySnapshot.of(topology(regions.toArray(Region[]::new)));
    for (int i = 0; i < 1000; i++) {
      Key key = Key.utf8(Integer.toString(random.nextInt(10_000)));
      assertThat(snapshot.regionOf(key).range().contains(key))
          .as("seed %d, %s", seed, key)
          .isTrue();
    }
    assertThat(snapshot.regionOf(Key.EMPTY).id().value()).isEqualTo(1);
  }

  @Test
  void regionsThatDoNotCoverAllKeysAreRejected() {
    assertThatThrownBy(() -> TopologySnapshot.of(topology(region(1, "", "g"), region(2, "h", ""))))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("before region 2");
    assertThatThrownBy(() -> TopologySnapshot.of(topology(region(1, "", "g"))))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("ends before the last key");
    assertThatThrownBy(() -> TopologySnapshot.of(topology()))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("no regions yet");
  }

  @Test
  void aReplicaOnAnUnknownNodeIsRejected() {
    Region unknownReplica = region(1, "", "").toBuilder().addReplicas("n2").build();
    assertThatThrownBy(() -> TopologySnapshot.of(topology(unknownReplica)))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("replicas of region 1");
  }

  @Test
  void aNodeWithoutAPortIsRejected() {
    Topology noPort =
        topology(region(1, "", "")).toBuilder()
            .addNodes(Node.newBuilder().setId("n2").setHost("h"))
            .build();
    assertThatThrownBy(() -> TopologySnapshot.of(noPort))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("port");
  }
}
