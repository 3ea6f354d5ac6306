package io.quorate.server.topology;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.Command;
import io.quorate.consensus.Key;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestId;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster topology as stored in region 0: one row, {@code cluster/topology}, a {@link Topology}
 * without leaders. It is one row so that a change of several regions is one compare-and-set.
 *
 * <p>The first leader of region 0, or every node in a cluster without leaders, writes the topology
 * that its configuration implies, by a compare-and-set that expects no row. However many nodes try,
 * one topology wins, and every node uses it.
 */
public final class MetadataRegion implements TopologySource {
  /** The row's key. */
  public static final Key TOPOLOGY_KEY = Key.utf8("cluster/topology");

  private static final Logger LOG = LoggerFactory.getLogger(MetadataRegion.class);
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

  private final LocalReplica region;
  private final Topology initial;

  /**
   * @param region this node's replica of region 0
   * @param initial the topology to store if there is none
   */
  public MetadataRegion(LocalReplica region, Topology initial) {
    this.region = region;
    this.initial = initial;
  }

  /**
   * Reads what this replica has applied, which is committed. If there is no row and this replica
   * serves, writes the initial topology.
   */
  @Override
  public Optional<Topology> look() throws InterruptedException {
    Optional<byte[]> row = read();
    if (row.isPresent()) {
      return Optional.of(parse(row.get()));
    }
    if (region.group().view().serving()) {
      writeInitial();
    }
    return Optional.empty();
  }

  private Optional<byte[]> read() {
    try {
      return region.store().get(TOPOLOGY_KEY);
    } catch (UncheckedIOException e) {
      // For example while a snapshot is installed; the next attempt may succeed.
      LOG.atInfo().addKeyValue("error", e).log("Region 0 cannot be read now");
      return Optional.empty();
    }
  }

  private void writeInitial() throws InterruptedException {
    Operation operation =
        new Operation.CompareAndSet(
            TOPOLOGY_KEY, Optional.empty(), Optional.of(ByteBuffer.wrap(initial.toByteArray())));
    Command command = new Command(new ClientCommand(RequestId.NONE, operation).encoded());
    try {
      region
          .group()
          .propose(command)
          .toCompletableFuture()
          .get(WRITE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The outcome is unknown; the next read of the row shows it.
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
