package io.quorate.server.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.Command;
import io.quorate.consensus.Key;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestTag;
import io.quorate.operation.TaggedOperation;
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
 * The map of the cluster as region 0 keeps it: one row, {@code cluster/topology}, a {@link
 * Topology} without leaders. It is one row so that a change of several regions is one
 * compare-and-set.
 *
 * <p>Whoever leads region 0 first, or every node where there are no leaders, writes the map that
 * its configuration implies, expecting none. However many try, one map wins, and every node goes by
 * it.
 */
public final class MetadataRegion implements MapSource {
  /** The row's key. */
  public static final Key TOPOLOGY_KEY = Key.utf8("cluster/topology");

  private static final Logger LOG = LoggerFactory.getLogger(MetadataRegion.class);
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

  private final HostedRegion region;
  private final Topology first;

  /**
   * @param region this node's replica of region 0
   * @param first the map to begin with, where there is none
   */
  public MetadataRegion(HostedRegion region, Topology first) {
    this.region = region;
    this.first = first;
  }

  /** What this replica has applied; whatever is there is committed. Writes if it may. */
  @Override
  public Optional<Topology> look() throws InterruptedException {
    Optional<byte[]> row = read();
    if (row.isPresent()) {
      return Optional.of(parse(row.get()));
    }
    if (region.group().view().serving()) {
      writeFirst();
    }
    return Optional.empty();
  }

  private Optional<byte[]> read() {
    try {
      return region.store().get(TOPOLOGY_KEY);
    } catch (UncheckedIOException e) {
      // For example while a snapshot is taken over; the next look may succeed.
      LOG.atInfo().addKeyValue("error", e).log("Region 0 cannot be read now");
      return Optional.empty();
    }
  }

  private void writeFirst() throws InterruptedException {
    Operation operation =
        new Operation.CompareAndSet(
            TOPOLOGY_KEY, Optional.empty(), Optional.of(ByteBuffer.wrap(first.toByteArray())));
    Command command = new Command(new TaggedOperation(RequestTag.NONE, operation).encoded());
    try {
      region
          .group()
          .propose(command)
          .toCompletableFuture()
          .get(WRITE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // Whether it was written shows when the row is looked for again.
      LOG.atInfo().addKeyValue("error", e).log("The first map of the cluster was not confirmed");
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
