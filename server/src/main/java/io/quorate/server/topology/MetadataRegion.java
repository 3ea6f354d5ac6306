package io.quorate.server.topology;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.common.DecodeException;
import io.quorate.common.Failpoint;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupStatus;
import io.quorate.model.Key;
import io.quorate.protocol.wire.v1.Topology;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster topology as stored in region 0: one row, {@code cluster/topology}, a {@link Topology}
 * without leaders. It is one row so that a change of several regions is one compare-and-set.
 */
public final class MetadataRegion {
  /** The row's key. */
  public static final Key TOPOLOGY_KEY = Key.utf8("cluster/topology");

  /**
   * A change of the topology is planned or complete, and not proposed. The subject is the change.
   */
  private static final Failpoint BEFORE_REPLACE = Failpoint.named("server.topology.before-replace");

  /** A change of the topology is stored; who requested it does not know. */
  private static final Failpoint REPLACED = Failpoint.named("server.topology.replaced");

  private static final Logger LOG = LoggerFactory.getLogger(MetadataRegion.class);
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

  /** Of the users and roles; see {@link #access}. */
  private static final Key ACCESS_KEY = Key.utf8("cluster/access");

  private final LocalReplica region;
  private final MetadataRow topology;

  /**
   * @param region this node's replica of region 0
   */
  public MetadataRegion(LocalReplica region) {
    this.region = region;
    this.topology = new MetadataRow(region, TOPOLOGY_KEY);
  }

  /**
   * Reads what this replica has applied, which is committed; empty if there is nothing, or if it
   * cannot be read now. Reads the disk.
   */
  public Optional<StoredTopology> read() {
    return row().map(MetadataRegion::parse);
  }

  /** The users and roles of the cluster; absent until there are any. */
  public MetadataRow access() {
    return new MetadataRow(region, ACCESS_KEY);
  }

  private Optional<byte[]> row() {
    try {
      return topology.read();
    } catch (UncheckedIOException e) {
      // For example while a snapshot is installed; the next attempt may succeed.
      LOG.atInfo().addKeyValue("error", e).log("Region 0 cannot be read now");
      return Optional.empty();
    }
  }

  /**
   * Whether this replica receives what is committed, as far as it can tell: it serves, or follows a
   * leader.
   */
  public boolean isUpToDate() {
    GroupStatus view = region.group().view();
    return view.serving() || view.leader().isPresent();
  }

  /** Whether this replica can {@link #replace} the topology. */
  public boolean serves() {
    return region.group().view().serving();
  }

  /**
   * What {@link #read} returns.
   *
   * @throws ConsensusException.Unavailable if there is nothing, or it cannot be read now
   */
  public StoredTopology require() {
    return read()
        .orElseThrow(
            () ->
                new ConsensusException.Unavailable(
                    "The topology of the cluster is not readable now."));
  }

  /**
   * Replaces the stored topology by a compare-and-set. Reads the row; otherwise does not block. Any
   * thread.
   *
   * @param present what {@link #read} returned
   * @param next the topology to store
   * @return completes with whether it is stored; if not, another change was stored first, or this
   *     replica is behind. Fails as {@link io.quorate.consensus.ConsensusGroup#propose}.
   */
  public CompletionStage<Boolean> replace(StoredTopology present, StoredTopology next) {
    Optional<byte[]> row = row(present);
    if (row.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    if (next.equals(present)) {
      return CompletableFuture.completedFuture(true);
    }
    BEFORE_REPLACE.passed(next);
    return propose(row, next)
        .thenApply(
            swapped -> {
              REPLACED.passed(next);
              return swapped;
            });
  }

  /**
   * Whether the stored topology is the same at some time after the call, by a compare-and-set that
   * changes nothing. Otherwise as {@link #replace}.
   */
  public CompletionStage<Boolean> confirm(StoredTopology present) {
    Optional<byte[]> row = row(present);
    return row.isPresent() ? propose(row, present) : CompletableFuture.completedFuture(false);
  }

  /** The row, if it has this topology. */
  private Optional<byte[]> row(StoredTopology present) {
    return row().filter(row -> parse(row).equals(present));
  }

  private CompletionStage<Boolean> propose(Optional<byte[]> expected, StoredTopology next) {
    return topology.replace(expected, TopologyMessages.of(next).toByteArray());
  }

  /**
   * Writes the topology of a cluster that has none. Blocks until the write is confirmed, or for
   * some seconds: its outcome is unknown then, and the next read shows it.
   */
  public void begin(StoredTopology initial) throws InterruptedException {
    try {
      propose(Optional.empty(), initial)
          .toCompletableFuture()
          .get(WRITE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo().addKeyValue("error", e).log("The initial topology was not confirmed as written");
    }
  }

  private static StoredTopology parse(byte[] row) {
    try {
      return TopologyMessages.stored(Topology.parseFrom(row));
    } catch (InvalidProtocolBufferException | IllegalArgumentException | DecodeException e) {
      throw new IllegalStateException("Row cluster/topology of region 0 is damaged", e);
    }
  }
}
