package io.quorate.server.topology;

import io.quorate.consensus.Command;
import io.quorate.model.Key;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** One row of region 0, which is replaced as a whole, by compare-and-set. */
public final class MetadataRow {
  private final LocalReplica region;
  private final Key key;

  MetadataRow(LocalReplica region, Key key) {
    this.region = region;
    this.key = key;
  }

  /**
   * Reads what this replica has applied, which is committed. Reads the disk.
   *
   * @throws UncheckedIOException if it cannot be read now, for example while a snapshot is
   *     installed
   */
  public Optional<byte[]> read() {
    return region.store().get(key);
  }

  /**
   * Replaces the row. Does not block.
   *
   * @param present what {@link #read} returned
   * @return completes with whether the row was replaced; if not, another change was stored first,
   *     or this replica is behind. Fails as {@link io.quorate.consensus.ConsensusGroup#propose}.
   */
  public CompletionStage<Boolean> replace(Optional<byte[]> present, byte[] next) {
    Operation operation =
        new Operation.CompareAndSet(
            key, present.map(ByteBuffer::wrap), Optional.of(ByteBuffer.wrap(next)));
    return region
        .group()
        .propose(new Command(new ClientCommand(RequestId.NONE, operation).encoded()))
        .thenApply(outcome -> ((Result.Swap) Result.decode(outcome.result())).swapped());
  }
}
