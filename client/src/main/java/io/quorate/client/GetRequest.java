package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.Key;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.operation.Limits;
import io.quorate.quorum.ReadReply;
import java.util.Optional;

/** A read of one key. */
final class GetRequest implements RegionRequest<Optional<byte[]>> {
  private final DataFrames.Get get;
  private final ReadOptions readOptions;
  private final int bytes;

  /**
   * @throws InvalidRequestException if the length of the key is out of bounds
   */
  GetRequest(Key key, ReadOptions readOptions) {
    if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MAX) {
      throw new InvalidRequestException(
          "A key has 1 to " + Limits.KEY_BYTES_MAX + " bytes; this one has " + key.size() + ".");
    }
    get = new DataFrames.Get(readOptions.guarantee(), key);
    this.readOptions = readOptions;
    bytes = DataFrames.size(get);
  }

  @Override
  public Opcode opcode() {
    return Opcode.GET;
  }

  @Override
  public CallReport.Kind kind() {
    return CallReport.Kind.READ;
  }

  @Override
  public Key key() {
    return get.key();
  }

  @Override
  public void requireWithin(TopologySnapshot topology, RegionDescriptor region) {
    // A single key always lies in one region.
    readOptions.requireSupported(topology);
  }

  @Override
  public Optional<SharedRead<Optional<byte[]>>> sharedRead(TopologySnapshot topology) {
    return readOptions.isMergedByClient(topology) ? Optional.of(new QuorumGet()) : Optional.empty();
  }

  @Override
  public boolean isForReplicas(TopologySnapshot topology) {
    return topology.reads().byReplicas();
  }

  @Override
  public int bodyBytes() {
    return bytes;
  }

  @Override
  public long costBytes() {
    return bytes;
  }

  @Override
  public void writeBody(ByteBuf to, RegionDescriptor region) {
    DataFrames.writeGet(to, get);
  }

  @Override
  public Optional<byte[]> read(ByteBuf body, RegionDescriptor region) {
    DataFrames.readPosition(body);
    return DataFrames.readValue(body);
  }

  /** The same read as a quorum read. */
  private final class QuorumGet implements SharedRead<Optional<byte[]>> {
    @Override
    public int bodyBytes() {
      return DataFrames.size(new DataFrames.ReplyRequest(get.key(), Position.NONE));
    }

    @Override
    public void writeBody(ByteBuf to, Position atLeast) {
      DataFrames.writeReplyRequest(to, new DataFrames.ReplyRequest(get.key(), atLeast));
    }

    @Override
    public ReadReply<Optional<byte[]>> read(ByteBuf body, NodeId replica) {
      return DataFrames.readReply(body, replica);
    }
  }
}
