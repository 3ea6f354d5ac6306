package io.quorate.server.node;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.common.FileErrors;
import io.quorate.common.LogLimit;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import io.quorate.storage.DamagedDatabase;
import io.quorate.storage.options.StorageFailure;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a damaged database without an operator (decision 0074): as soon as {@link RebuildSafety
 * all regions are safe without this node}, requests that the database is set aside, and ends the
 * node. The next start begins an empty one, and all replicas are lost, so that they are replaced
 * from the other nodes. What was set aside is removed when nothing of it can be of use any more, or
 * when the disk needs the space.
 *
 * <p>Run every few seconds, by a thread of its own: it waits for other nodes and for the disk.
 */
final class DatabaseRebuild implements Runnable {
  static final Duration INTERVAL = Duration.ofSeconds(3);

  private static final Logger LOG = LoggerFactory.getLogger(DatabaseRebuild.class);

  /**
   * Shorter than the interval. A node decides when it was safe twice in a row; of two damaged nodes
   * the one that decides later has therefore asked when the other one reported its damage.
   */
  private static final Duration REPORTS_MAX = Duration.ofSeconds(2);

  private static final int SAFE_RUNS = 2;

  private final LogLimit failing = LogLimit.oneAMinute();
  private final DamagedDatabase database;
  private final ReplicaRecords records;
  private final ClusterTopology topology;
  private final ServingState servingState;
  private final Supplier<? extends CompletionStage<ClusterStatus>> reports;
  private final FreeSpace freeSpace;
  private final Consumer<ConsensusException.Fatal> onFatal;
  private final Optional<Instant> lastSetAside;
  private int safeRuns;
  private boolean hasEnded;
  private boolean isRemoved;
  private volatile long setAsideBytes;
  private volatile Optional<String> waiting = Optional.empty();

  /** Measures free space for the data, in bytes. */
  @FunctionalInterface
  interface FreeSpace {
    long bytes() throws IOException;
  }

  /**
   * @param reports requests the states of all nodes
   * @param onFatal ends the node, which is to be started again
   */
  DatabaseRebuild(
      DamagedDatabase database,
      ReplicaRecords records,
      ClusterTopology topology,
      ServingState servingState,
      Supplier<? extends CompletionStage<ClusterStatus>> reports,
      FreeSpace freeSpace,
      Consumer<ConsensusException.Fatal> onFatal)
      throws IOException {
    this.database = database;
    this.records = records;
    this.topology = topology;
    this.servingState = servingState;
    this.reports = reports;
    this.freeSpace = freeSpace;
    this.onFatal = onFatal;
    this.setAsideBytes = database.bytes();
    this.lastSetAside = database.lastSetAside();
  }

  /**
   * Sets the database aside if that was requested. To be called before it is opened. That its rows
   * are gone is durable first. Blocks.
   */
  static DamagedDatabase prepare(DamagedDatabase database, ReplicaRecords records)
      throws IOException {
    Optional<String> reason = database.requested();
    if (reason.isPresent()) {
      records.loseRows();
      database.setAside();
      LOG.atWarn()
          .addKeyValue("replicas", records.lost())
          .addKeyValue("reason", reason.get())
          .log(
              "The database of this node was damaged and is set aside; its replicas are rebuilt from"
                  + " the other nodes");
    }
    return database;
  }

  void register(MetricsSink telemetry) {
    telemetry.gauge(
        "storage.set.aside.bytes",
        "Bytes of a damaged database that was set aside, until its replicas are replaced",
        Map.of(),
        () -> setAsideBytes);
    telemetry.gauge(
        "storage.set.aside.age.seconds",
        "Time since a damaged database was last set aside; NaN if none was",
        Map.of(),
        () ->
            lastSetAside
                .map(at -> Duration.between(at, Instant.now()).toMillis() / 1e3)
                .orElse(Double.NaN));
  }

  /** What the database that was set aside takes, and gives back when it is needed. Any thread. */
  long setAsideBytes() {
    return setAsideBytes;
  }

  /** The failures of storage, and why a damaged database is not rebuilt yet. Any thread. */
  List<String> with(List<StorageFailure> failures) {
    return Stream.concat(failures.stream().map(StorageFailure::message), waiting.stream())
        .distinct()
        .toList();
  }

  @Override
  public void run() {
    try {
      removeWhatIsSetAside();
      Optional<String> damage = servingState.damage();
      if (damage.isPresent() && !hasEnded) {
        decide(damage.get());
      }
    } catch (IOException e) {
      failing.log(
          leftOut ->
              LOG.atWarn()
                  .addKeyValue("reason", FileErrors.describe(e))
                  .log("A damaged database is not replaced now" + LogLimit.text(leftOut)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void removeWhatIsSetAside() throws IOException {
    boolean isNeeded = !records.lost().isEmpty() && freeSpace.bytes() >= setAsideBytes;
    if (!isRemoved && !isNeeded) {
      database.remove();
      isRemoved = true;
      if (setAsideBytes > 0) {
        LOG.atInfo()
            .addKeyValue("bytes", setAsideBytes)
            .log("Removed the damaged database that was set aside");
      }
      setAsideBytes = 0;
    }
  }

  private void decide(String damage) throws IOException, InterruptedException {
    Optional<String> obstacle = obstacle();
    safeRuns = obstacle.isEmpty() ? safeRuns + 1 : 0;
    waiting =
        Optional.of(
            "The rows of this node are not rebuilt from the other nodes yet: "
                + obstacle.orElse("the others are asked again")
                + ".");
    if (safeRuns >= SAFE_RUNS) {
      database.request(damage);
      hasEnded = true;
      onFatal.accept(
          new ConsensusException.Fatal(
              "The database of this node is damaged; the next start sets it aside, and the replicas"
                  + " are rebuilt from the other nodes: "
                  + damage,
              null));
    }
  }

  private Optional<String> obstacle() throws InterruptedException {
    Optional<StoredTopology> stored = topology.stored();
    if (stored.isEmpty()) {
      return Optional.of("this node does not serve");
    }
    Map<GroupId, Long> committed = committed(stored.get());
    try {
      ClusterStatus status =
          reports.get().toCompletableFuture().get(REPORTS_MAX.toMillis(), TimeUnit.MILLISECONDS);
      return RebuildSafety.obstacle(topology.self(), committed, status);
    } catch (ExecutionException | TimeoutException e) {
      return Optional.of("the nodes do not report");
    }
  }

  /** The regions that concern this node, and what its replicas know to be committed. */
  private Map<GroupId, Long> committed(StoredTopology stored) {
    Map<GroupId, Long> committed = new HashMap<>();
    for (RegionAssignment region : stored.assignments()) {
      if (region.concerns(topology.self())) {
        committed.put(region.id(), -1L);
      }
    }
    for (LocalReplica replica : topology.hosted()) {
      committed.put(replica.assignment().id(), replica.group().view().committed().index());
    }
    return committed;
  }
}
