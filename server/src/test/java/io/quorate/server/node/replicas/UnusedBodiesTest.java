package io.quorate.server.node.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.node.MemoryNode;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnusedBodiesTest {
  private static final StorageOptions BODIES =
      StorageOptions.DEFAULT.toBuilder().bodies(true).build();
  private static final GroupId REGION = new GroupId(1);
  private static final NodeId SELF = MemoryNode.SELF;
  private static final NodeId OTHER = MemoryNode.OTHER;

  @TempDir private Path directory;
  private MemoryNode node;

  @BeforeEach
  void open() throws IOException {
    node = new MemoryNode(directory, BODIES);
  }

  @AfterEach
  void close() {
    node.close();
  }

  private static final BodyId BODY = new BodyId(REGION, 1, 1);

  private void store() {
    bodies().put(BODY, List.of(ByteBuffer.allocate(10))).join();
  }

  private BodyStorage bodies() {
    return node.storage.bodies().orElseThrow();
  }

  private static RegionAssignment on(long epoch, NodeId replica) {
    return new RegionAssignment(REGION, KeyRange.ALL, new RegionEpoch(epoch), List.of(replica));
  }

  private void follow(RegionAssignment region) throws IOException {
    RegionAssignment metadata =
        new RegionAssignment(
            RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(OTHER));
    node.replicas.follow(
        new StoredTopology(
            new ClusterId("c"),
            new UUID(0, 1),
            TopologyVersion.FIRST,
            List.of(),
            metadata,
            new RegionTable(List.of(region)),
            1));
  }

  @Test
  void bodiesThatArriveAfterTheReplicaHasLeftAreRemoved() throws IOException {
    follow(on(1, SELF));
    store();
    follow(on(1, SELF));
    assertThat(bodies().contains(BODY)).isTrue();
    follow(on(3, OTHER));
    assertThat(bodies().contains(BODY)).isFalse();
    store();
    follow(on(3, OTHER));
    assertThat(bodies().contains(BODY)).isFalse();
  }

  /** A topology from before a move to this node says that the region is elsewhere. */
  @Test
  void aReplicaThatReceivesItsBodiesKeepsThem() throws IOException {
    follow(on(3, OTHER).planned(ReplicaChange.add(SELF)));
    store();
    follow(on(3, OTHER).planned(ReplicaChange.add(SELF)));
    close();
    open();
    follow(on(1, OTHER));
    assertThat(bodies().contains(BODY)).isTrue();
  }

  /** It is assigned to this node, which has no state of it. */
  @Test
  void aLostReplicaKeepsItsBodiesUntilItIsReplaced() throws IOException {
    store();
    follow(on(3, SELF));
    assertThat(node.topology.hosted(REGION)).isEmpty();
    assertThat(bodies().contains(BODY)).isTrue();
    follow(on(4, OTHER));
    assertThat(bodies().contains(BODY)).isFalse();
  }

  @Test
  void aReplicaWithDamagedFilesKeepsItsBodiesUntilItIsRemoved() throws IOException {
    follow(on(1, SELF));
    store();
    close();
    open();
    node.damage(REGION);
    follow(on(1, SELF));
    assertThat(node.topology.hosted(REGION)).isEmpty();
    assertThat(bodies().contains(BODY)).isTrue();
    follow(on(3, OTHER));
    assertThat(bodies().contains(BODY)).isFalse();
  }
}
