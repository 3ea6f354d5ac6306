package io.quorate.server.placement;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClusterStatus;
import io.quorate.client.ReplicaState;
import io.quorate.common.Failures;
import io.quorate.consensus.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans changes of replicas, records that they are complete, and distributes leaders, on the node
 * whose replica of region 0 serves; in a cluster without leaders, on the first of such nodes. If
 * another node takes over, it continues from the stored topology.
 *
 * <p>One thread. What is decided is stored by a compare-and-set, so that two services that run at
 * the same time for a while do not contradict each other.
 */
public final class PlacementService {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementService.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** How often nodes are requested to report, while replicas change and otherwise. */
  private static final Duration BUSY_INTERVAL = Duration.ofMillis(500);

  private static final Duration IDLE_INTERVAL = Duration.ofSeconds(5);

  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final PlacementConfig config;
  private final boolean replicasChange;
  private final SilentNodes silent = new SilentNodes();
  private final AtomicBoolean transferring = new AtomicBoolean();
  private long observedNanos;
  private TopologyVersion observedVersion;

  /**
   * @param client requests the state of every node
   * @param replicasChange whether regions can have other replicas than at first; otherwise only
   *     leaders are distributed
   */
  public PlacementService(
      ClusterTopology topology,
      AsyncQuorateClient client,
      PlacementConfig config,
      boolean replicasChange) {
    this.topology = topology;
    this.client = client;
    this.config = config;
    this.replicasChange = replicasChange;
  }

  /** Blocks for some seconds if nodes do not respond. To be called repeatedly. */
  public void run() throws InterruptedException {
    Optional<MetadataRegion> metadata = metadata();
    if (metadata.isEmpty() || topology.stored().isEmpty()) {
      silent.clear();
      return;
    }
    StoredTopology stored = topology.stored().get();
    boolean isAlone = stored.nodes().size() == 1;
    if (isAlone || !isDue(stored)) {
      return;
    }
    try {
      ClusterStatus status = await(client.status());
      observedNanos = System.nanoTime();
      observedVersion = stored.version();
      ClusterPicture picture = ClusterPicture.of(stored, status);
      silent.observed(
          stored.nodes().stream().map(NodeEntry::id).toList(), picture.responding(), observedNanos);
      if (topology.service().leadersOnly() || isFirst(status)) {
        step(metadata.get(), picture, status);
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo()
          .addKeyValue("error", Failures.unwrap(e).toString())
          .log("The placement of replicas is not changed now");
    }
  }

  private Optional<MetadataRegion> metadata() {
    return topology
        .hosted(RegionAssignment.METADATA)
        .map(MetadataRegion::new)
        .filter(MetadataRegion::serves);
  }

  private boolean isDue(StoredTopology stored) {
    boolean busy = !stored.assignments().stream().allMatch(RegionAssignment::isStable);
    boolean isNew = !stored.version().equals(observedVersion);
    Duration interval = busy ? BUSY_INTERVAL : IDLE_INTERVAL;
    return isNew || System.nanoTime() - observedNanos >= interval.toNanos();
  }

  /** Whether this node is the first, by name, of those whose replica of region 0 serves. */
  private boolean isFirst(ClusterStatus status) {
    return status.nodes().stream()
        .filter(
            node ->
                node.replica(RegionAssignment.METADATA).filter(ReplicaState::serving).isPresent())
        .flatMap(node -> node.id().stream())
        .min(Comparator.comparing(NodeId::value))
        .equals(Optional.of(topology.self()));
  }

  private void step(MetadataRegion metadata, ClusterPicture picture, ClusterStatus status)
      throws InterruptedException, ExecutionException, TimeoutException {
    PlacementStep step =
        replicasChange
            ? PlacementStep.of(
                picture,
                config,
                region -> isConfirmed(region, status),
                node -> silent.isSilent(node, config.withdrawAfter().toNanos(), observedNanos))
            : new PlacementStep(picture.topology(), List.of());
    if (step.isEmpty()) {
      if (config.policy() == PlacementConfig.Policy.ED && picture.changesUnderWay() == 0) {
        LeaderSpread.next(picture).ifPresent(this::transfer);
      }
      return;
    }
    boolean stored = await(metadata.replace(picture.topology(), step.next()));
    if (stored) {
      topology.learn(step.next());
      step.events().forEach(event -> LOG.atInfo().log(event));
    }
  }

  /** Whether a replica that serves has carried out the planned change. */
  private static boolean isConfirmed(RegionAssignment region, ClusterStatus status) {
    return status.replicas(region.id()).stream()
        .filter(ReplicaState::serving)
        .anyMatch(replica -> replica.confirmedEpoch() == region.epoch().value());
  }

  private void transfer(LeaderSpread.Transfer transfer) {
    if (!transferring.compareAndSet(false, true)) {
      return;
    }
    client
        .regions()
        .transferLeader(transfer.region(), transfer.to())
        .whenComplete(
            (done, failure) -> {
              transferring.set(false);
              LOG.atInfo()
                  .addKeyValue("region", transfer.region())
                  .addKeyValue("to", transfer.to())
                  .addKeyValue(
                      "outcome", failure == null ? "done" : Failures.unwrap(failure).getMessage())
                  .log("Transferring a leadership, so that nodes lead equal numbers of regions");
            });
  }

  private static <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
