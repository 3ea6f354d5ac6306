package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.quorum.ReadReply;
import java.util.Optional;
import java.util.Set;

/** A read of one key. */
public final class GetRequest implements RegionRequest<Optional<byte[]>> {
  private final DataFrames.Get get;
  private final ReadOptions readOptions;
  private final int bytes;

  /**
   * @throws InvalidRequestException if the length of the key is out of bounds
   */
  public GetRequest(Key key, ReadOptions readOptions) {
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
  public boolean isWrite() {
    return false;
  }

  @Override
  public Key key() {
    return get.key();
  }

  @Override
  public Set<Key> orderedKeys() {
    return Set.of(key());
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
