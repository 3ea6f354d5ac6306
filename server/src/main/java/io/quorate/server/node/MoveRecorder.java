package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClusterStatus;
import io.quorate.client.ReplicaState;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that planned moves of replicas are complete: when a replica that serves reports that its
 * group has the members after the move. The group's own configuration is the truth; the stored
 * topology follows it. Used by one thread of each node with a replica of region 0; only one that
 * serves can record.
 */
final class MoveRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(MoveRecorder.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final MetadataRegion metadata;
  private final ClusterTopology topology;
  private final AsyncQuorateClient client;

  /**
   * @param client requests the state of the other nodes
   */
  MoveRecorder(MetadataRegion metadata, ClusterTopology topology, AsyncQuorateClient client) {
    this.metadata = metadata;
    this.topology = topology;
    this.client = client;
  }

  /** Blocks for some seconds if nodes do not respond. */
  void run() throws InterruptedException {
    List<RegionAssignment> moving =
        topology.table().map(RegionTable::regions).orElse(List.of()).stream()
            .filter(region -> region.move().isPresent())
            .toList();
    if (moving.isEmpty() || !metadata.serves()) {
      return;
    }
    try {
      ClusterStatus status = await(client.status());
      for (RegionAssignment region : moving) {
        if (hasMoved(region, status)) {
          record(region);
        }
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo().addKeyValue("error", e).log("A completed move could not be recorded yet");
    }
  }

  private static boolean hasMoved(RegionAssignment region, ClusterStatus status) {
    Set<NodeId> wanted = new HashSet<>(region.replicasAfterMove());
    return status.replicas(region.id()).stream()
        .filter(ReplicaState::serving)
        .anyMatch(replica -> new HashSet<>(replica.members()).equals(wanted));
  }

  private void record(RegionAssignment region)
      throws InterruptedException, ExecutionException, TimeoutException {
    boolean recorded =
        await(
            metadata.change(
                table ->
                    table
                        .byId(region.id())
                        .filter(region::equals)
                        .map(present -> table.with(present.moved()))
                        .orElse(table)));
    if (recorded) {
      LOG.atInfo()
          .addKeyValue("region", region.id())
          .addKeyValue("replicas", region.replicasAfterMove())
          .log("A replica has moved");
    }
  }

  private static <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
