package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.common.DecodeException;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Limits;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestId;
import io.quorate.operation.Result;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A write. It receives its sequence number before it is first sent and keeps it for every attempt,
 * except where a region could not know whether that number took effect and the client knows that it
 * did not, or that it never will.
 */
final class WriteRequest<T> implements RegionRequest<T> {
  /**
   * Limits that no cluster exceeds, however it is configured; the servers check the configured
   * limits.
   */
  private static final Limits LIMITS_MAX =
      new Limits(
          Limits.KEY_BYTES_MAX, Limits.VALUE_BYTES_MAX, Limits.BATCH_OPERATIONS_MAX, 1 << 29);

  /** Converts the result of the operation for the caller. */
  interface Reader<T> {
    /**
     * @throws DecodeException if the result does not belong to the operation
     */
    T read(Position position, Result result);
  }

  private final Operation operation;
  private final Key key;
  private final int bytes;
  private final Reader<T> reader;
  private Optional<SessionSequencer> writes = Optional.empty();
  private OptionalLong sequence = OptionalLong.empty();
  // Null before the first attempt.
  private Runnable awaiting;

  private WriteRequest(Operation operation, Key key, Reader<T> reader) {
    try {
      LIMITS_MAX.check(operation);
    } catch (DecodeException e) {
      throw new InvalidRequestException(e.getMessage());
    }
    this.operation = operation;
    this.key = key;
    this.reader = reader;
    this.bytes = new ClientCommand(RequestId.NONE, operation).size();
  }

  /**
   * @throws InvalidRequestException if no cluster can store the key or a value
   */
  static <T> WriteRequest<T> of(Operation.OnKey operation, Reader<T> reader) {
    return new WriteRequest<>(operation, operation.key(), reader);
  }

  /**
   * @throws InvalidRequestException if the batch is empty, or no cluster can store a key or a value
   */
  static <T> WriteRequest<T> of(Operation.Batch batch, Reader<T> reader) {
    if (batch.operations().isEmpty()) {
      throw new InvalidRequestException("A batch has at least 1 operation; this one is empty.");
    }
    return new WriteRequest<>(batch, batch.operations().get(0).key(), reader);
  }

  @Override
  public Opcode opcode() {
    return Opcode.WRITE;
  }

  @Override
  public CallReport.Kind kind() {
    return CallReport.Kind.WRITE;
  }

  @Override
  public Key key() {
    return key;
  }

  @Override
  public void requireWithin(TopologySnapshot topology, RegionDescriptor region) {
    if (operation instanceof Operation.Batch batch) {
      for (Operation.OnKey part : batch.operations()) {
        if (!region.range().contains(part.key())) {
          throw new InvalidRequestException(
              "A batch changes keys of one region, but "
                  + key
                  + " is in region "
                  + region.id()
                  + " and "
                  + part.key()
                  + " is in region "
                  + topology.regionOf(part.key()).id()
                  + ".");
        }
      }
    }
  }

  @Override
  public boolean maySend(
      SessionSequencer outstanding, GroupId region, boolean inDoubt, Runnable whenCapacity) {
    if (sequence.isPresent()) {
      if (inDoubt || !outstanding.isBelowFloor(sequence.getAsLong(), region)) {
        return true;
      }
      // As after a merge. Every attempt was rejected, so no region can execute the old number.
      outstanding.end(sequence.getAsLong());
    }
    writes = Optional.of(outstanding);
    awaiting = whenCapacity;
    sequence = outstanding.begin(region);
    if (sequence.isEmpty()) {
      outstanding.awaitCapacity(region, whenCapacity);
    }
    return sequence.isPresent();
  }

  @Override
  public boolean isToBeginAnew(ByteBuf body) {
    ByteBuf result = body.slice().skipBytes(Position.BYTES);
    return Result.decode(result.nioBuffer()) instanceof Result.Outdated;
  }

  @Override
  public void beginAnew() {
    ended();
    sequence = OptionalLong.empty();
  }

  @Override
  public void ended() {
    writes.ifPresent(
        outstanding ->
            sequence.ifPresentOrElse(outstanding::end, () -> outstanding.stopWaiting(awaiting)));
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
    RequestId tag = writes.orElseThrow().tag(sequence.getAsLong(), region.id());
    new ClientCommand(tag, operation).encode(to.nioBuffer(to.writerIndex(), bytes));
    to.writerIndex(to.writerIndex() + bytes);
  }

  @Override
  public T read(ByteBuf body, RegionDescriptor region) {
    Position position = DataFrames.readPosition(body);
    Result result = Result.decode(body.nioBuffer());
    if (result instanceof Result.Refused refused) {
      throw new RefusedException(refused.reason());
    } else if (result instanceof Result.Outdated) {
      throw new IndeterminateException(
          "The call began so long ago that the cluster does not know whether the write took effect"
              + " then; it will not take effect any more.");
    } else if (result instanceof Result.Forgotten) {
      throw new IndeterminateException(
          "The cluster does not know whether the write took effect before: it arrived late, or its"
              + " region keeps as many results as it can.");
    }
    return reader.read(position, result);
  }
}
