package io.quorate.server.topology;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.consensus.ProposeResult;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestId;
import io.quorate.operation.Result;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster topology as stored in region 0: one row, {@code cluster/topology}, a {@link Topology}
 * without leaders. It is one row so that a change of several regions is one compare-and-set.
 */
public final class MetadataRegion {
  /** The row's key. */
  public static final Key TOPOLOGY_KEY = Key.utf8("cluster/topology");

  private static final Logger LOG = LoggerFactory.getLogger(MetadataRegion.class);
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

  private final LocalReplica region;

  /**
   * @param region this node's replica of region 0
   */
  public MetadataRegion(LocalReplica region) {
    this.region = region;
  }

  /**
   * Reads what this replica has applied, which is committed; empty if there is nothing, or if it
   * cannot be read now. Reads the disk.
   */
  public Optional<Topology> read() {
    return row().map(MetadataRegion::parse);
  }

  private Optional<byte[]> row() {
    try {
      return region.store().get(TOPOLOGY_KEY);
    } catch (UncheckedIOException e) {
      // For example while a snapshot is installed; the next attempt may succeed.
      LOG.atInfo().addKeyValue("error", e).log("Region 0 cannot be read now");
      return Optional.empty();
    }
  }

  /** Whether this replica can {@link #change} the topology. */
  public boolean serves() {
    return region.group().view().serving();
  }

  /**
   * Changes the stored regions by a compare-and-set of what this replica has applied. Reads the
   * row; otherwise does not block. Any thread.
   *
   * @param change returns the regions after the change; called once
   * @return completes with whether the change is stored; if not, another change was stored first.
   *     Fails as {@link io.quorate.consensus.ConsensusGroup#propose}, and with what {@code change}
   *     throws.
   */
  public CompletionStage<Boolean> change(UnaryOperator<RegionTable> change) {
    Optional<byte[]> row = row();
    if (row.isEmpty()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("The topology of the cluster is not readable now."));
    }
    Topology stored = parse(row.get());
    Topology changed;
    try {
      changed = TopologyMessages.with(stored, change.apply(TopologyMessages.table(stored)));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return propose(Optional.of(ByteBuffer.wrap(row.get())), changed)
        .thenApply(outcome -> ((Result.Swap) Result.decode(outcome.result())).swapped());
  }

  private CompletionStage<ProposeResult> propose(Optional<ByteBuffer> expected, Topology next) {
    Operation operation =
        new Operation.CompareAndSet(
            TOPOLOGY_KEY, expected, Optional.of(ByteBuffer.wrap(next.toByteArray())));
    return region
        .group()
        .propose(new Command(new ClientCommand(RequestId.NONE, operation).encoded()));
  }

  /**
   * Writes the topology of a cluster that has none. Blocks until the write is confirmed, or for
   * some seconds: its outcome is unknown then, and the next read shows it.
   */
  public void begin(Topology initial) throws InterruptedException {
    try {
      propose(Optional.empty(), initial)
          .toCompletableFuture()
          .get(WRITE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo().addKeyValue("error", e).log("The initial topology was not confirmed as written");
    }
  }

  private static Topology parse(byte[] row) {
    try {
      return Topology.parseFrom(row);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("Row cluster/topology of region 0 is damaged", e);
    }
  }
}
