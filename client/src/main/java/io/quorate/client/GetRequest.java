package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.Key;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Share;
import io.quorate.operation.Limits;
import java.util.Optional;

/** A read of one key. */
final class GetRequest implements Request<Optional<byte[]>> {
  private final DataFrames.Get get;
  private final ReadNeeds needs;
  private final int bytes;

  /**
   * @throws InvalidRequestException if no such key can be stored
   */
  GetRequest(Key key, ReadNeeds needs) {
    if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MOST) {
      throw new InvalidRequestException(
          "A key has 1 to " + Limits.KEY_BYTES_MOST + " bytes; this one has " + key.size() + ".");
    }
    get = new DataFrames.Get(needs.guarantee(), key);
    this.needs = needs;
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
  public void requireWithin(ClusterMap map, RegionDescriptor region) {
    // One key is always in one region.
    needs.requireMet(map);
  }

  @Override
  public Optional<SharedRead<Optional<byte[]>>> shared(ClusterMap map) {
    return needs.isMergedHere(map) ? Optional.of(new Shared()) : Optional.empty();
  }

  @Override
  public boolean isForReplicas(ClusterMap map) {
    return map.reads().byReplicas();
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

  /** The read as it is asked of several replicas. */
  private final class Shared implements SharedRead<Optional<byte[]>> {
    @Override
    public int bodyBytes() {
      return DataFrames.size(new DataFrames.ShareOf(get.key(), Position.NONE));
    }

    @Override
    public void writeBody(ByteBuf to, Position atLeast) {
      DataFrames.writeShareOf(to, new DataFrames.ShareOf(get.key(), atLeast));
    }

    @Override
    public Share<Optional<byte[]>> read(ByteBuf body, NodeId replica) {
      return DataFrames.readShare(body, replica);
    }
  }
}
