package io.quorate.server.placement;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Failures;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
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

  /** How often nodes are requested to report whether their devices are slow, which is cheap. */
  private static final Duration DEVICE_INTERVAL = Duration.ofMillis(500);

  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final PlacementConfig config;
  private final RangeSupport needed;
  private final DecisionLog decisions;
  private final LeaderTransfers transfers;
  private final StalledChanges stalled = new StalledChanges();
  private final Runnable wake;

  /** The nodes whose devices were slow at the last observation, and by the last summary. */
  private volatile Set<NodeId> slow = Set.of();

  private volatile Set<NodeId> reportedSlow = Set.of();
  private CompletableFuture<Void> summary = CompletableFuture.completedFuture(null);
  private long devicesObservedNanos;
  private long observedNanos;
  private TopologyVersion observedVersion;

  /**
   * @param client requests the state of every node
   * @param needed what each node of a region that splits must support
   * @param decisions receives what is decided
   * @param wake called, on any thread, when {@link #run} has something to do; must not block
   */
  public PlacementService(
      ClusterTopology topology,
      AsyncQuorateClient client,
      PlacementConfig config,
      RangeSupport needed,
      DecisionLog decisions,
      Runnable wake) {
    this.topology = topology;
    this.client = client;
    this.config = config;
    this.needed = needed;
    this.decisions = decisions;
    this.wake = wake;
    this.transfers =
        new LeaderTransfers(client.regions()::transferLeader, decisions, System::nanoTime);
    this.devicesObservedNanos = System.nanoTime();
    this.observedNanos = System.nanoTime() - IDLE_INTERVAL.toNanos();
  }

  /** Blocks for some seconds if nodes do not respond. To be called repeatedly. */
  public void run() throws InterruptedException {
    Optional<MetadataRegion> metadata = metadata();
    if (metadata.isEmpty() || topology.stored().isEmpty()) {
      stalled.clear();
      decisions.active(false);
      return;
    }
    StoredTopology stored = topology.stored().get();
    try {
      if (isDue(stored) || haveDevicesChanged()) {
        place(metadata.get(), stored);
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo()
          .addKeyValue("error", Failures.unwrap(e).toString())
          .log("The placement of replicas is not changed now");
    }
  }

  private void place(MetadataRegion metadata, StoredTopology stored)
      throws InterruptedException, ExecutionException, TimeoutException {
    ClusterStatus status = await(client.status());
    observedNanos = System.nanoTime();
    observedVersion = stored.version();
    slow = slow(status);
    reportedSlow = slow;
    ClusterPicture picture = ClusterPicture.of(stored, status);
    stalled.observed(picture, region -> isOpen(region, status), observedNanos);
    boolean isPlacing = topology.service().leadersOnly() || isFirst(status);
    decisions.active(isPlacing);
    if (isPlacing) {
      // First, because leaders need not wait for what is stored, perhaps on a slow device.
      transferLeaders(picture);
      step(metadata, picture, status);
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
    Duration interval =
        busy || transfers.areUnderWay() || !slow.isEmpty() ? BUSY_INTERVAL : IDLE_INTERVAL;
    return isNew || System.nanoTime() - observedNanos >= interval.toNanos();
  }

  /**
   * Whether other devices are slow than at the last observation. Does not block: a node that does
   * not respond delays what is known of the others, and not this thread.
   */
  private boolean haveDevicesChanged() {
    if (config.policy() == PlacementConfig.Policy.NONE || !topology.service().leadersOnly()) {
      return false;
    }
    boolean haveChanged = !slow.equals(reportedSlow);
    if (summary.isDone() && System.nanoTime() - devicesObservedNanos >= DEVICE_INTERVAL.toNanos()) {
      devicesObservedNanos = System.nanoTime();
      summary =
          NodeToNode.summary(client)
              .thenAccept(
                  status -> {
                    reportedSlow = slow(status);
                    if (!reportedSlow.equals(slow)) {
                      wake.run();
                    }
                  });
    }
    return haveChanged;
  }

  private static Set<NodeId> slow(ClusterStatus status) {
    return status.nodes().stream()
        .map(NodeReport::state)
        .flatMap(Optional::stream)
        .filter(node -> node.device().filter(device -> device.isSlow()).isPresent())
        .map(node -> node.id())
        .collect(Collectors.toSet());
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

  private void transferLeaders(ClusterPicture picture) {
    LeaderPlacement.next(
            picture,
            config.policy(),
            transfers.busy(picture),
            Math.max(0, config.transfersMax() - transfers.underWay()))
        .forEach(transfers::start);
  }

  private void step(MetadataRegion metadata, ClusterPicture picture, ClusterStatus status)
      throws InterruptedException, ExecutionException, TimeoutException {
    decisions.whole(Splits.whole(picture, config, needed));
    PlacementStep step =
        PlacementStep.of(
            picture,
            config,
            needed,
            region -> confirmed(region, status),
            region -> stalled.isStalled(region, config.withdrawAfter().toNanos(), observedNanos),
            region -> isBack(region, status));
    if (!step.isEmpty() && await(metadata.replace(picture.topology(), step.next()))) {
      topology.learn(step.next());
      step.events().forEach(decisions::record);
    }
  }

  /** The members as a replica reports them that serves and has carried out what is planned. */
  private static Optional<List<NodeId>> confirmed(RegionAssignment region, ClusterStatus status) {
    return status.replicas(region.id()).stream()
        .filter(ReplicaState::serving)
        .filter(replica -> replica.confirmedEpoch() == region.epoch().value())
        .map(ReplicaState::members)
        .findFirst();
  }

  /** Whether the node that is to receive a replica has it open in the epoch of the plan. */
  private static boolean isOpen(RegionAssignment region, ClusterStatus status) {
    return isOpen(region, region.receiver(), status);
  }

  /** Whether the node that is to lose its replica has it open in the epoch of the plan. */
  private static boolean isBack(RegionAssignment region, ClusterStatus status) {
    return isOpen(region, region.removed(), status)
        && status.replicas(region.id()).stream()
            .filter(ReplicaState::serving)
            .noneMatch(leader -> leader.lostMembers().contains(region.removed().orElseThrow()));
  }

  private static boolean isOpen(
      RegionAssignment region, Optional<NodeId> on, ClusterStatus status) {
    return status.nodes().stream()
        .filter(node -> on.isPresent() && node.id().equals(on))
        .flatMap(node -> node.replica(region.id()).stream())
        .anyMatch(replica -> replica.region().epoch().compareTo(region.epoch()) >= 0);
  }

  private static <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
