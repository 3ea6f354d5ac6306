package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
import io.quorate.operation.Limits;
import io.quorate.operation.MalformedException;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestTag;
import io.quorate.operation.Result;
import io.quorate.operation.TaggedOperation;
import java.util.Optional;
import java.util.OptionalLong;

/** A change. It gets its number when it is first sent and keeps it however often it is sent. */
final class WriteRequest<T> implements Request<T> {
  /**
   * What no cluster accepts, however it is configured; the cluster's own limits are its business.
   */
  private static final Limits LIMITS_MOST =
      new Limits(
          Limits.KEY_BYTES_MOST, Limits.VALUE_BYTES_MOST, Limits.BATCH_OPERATIONS_MOST, 1 << 29);

  /** What the caller makes of the result. */
  interface Reader<T> {
    /**
     * @throws MalformedException if a server cannot answer the operation with this
     */
    T read(Position position, Result result);
  }

  private final Operation operation;
  private final Key key;
  private final int bytes;
  private final Reader<T> reader;
  private Optional<OutstandingWrites> writes = Optional.empty();
  private OptionalLong sequence = OptionalLong.empty();
  // Null before the first attempt.
  private Runnable awaiting;

  private WriteRequest(Operation operation, Key key, Reader<T> reader) {
    try {
      LIMITS_MOST.check(operation);
    } catch (MalformedException e) {
      throw new InvalidRequestException(e.getMessage());
    }
    this.operation = operation;
    this.key = key;
    this.reader = reader;
    this.bytes = new TaggedOperation(RequestTag.NONE, operation).size();
  }

  /**
   * @throws InvalidRequestException if the key or a value can never be stored
   */
  static <T> WriteRequest<T> of(Operation.OnKey operation, Reader<T> reader) {
    return new WriteRequest<>(operation, operation.key(), reader);
  }

  /**
   * @throws InvalidRequestException if the batch is empty, or a key or a value can never be stored
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
  public void requireWithin(ClusterMap map, RegionDescriptor region) {
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
                  + map.regionOf(part.key()).id()
                  + ".");
        }
      }
    }
  }

  @Override
  public boolean maySend(OutstandingWrites outstanding, GroupId region, Runnable whenRoom) {
    if (sequence.isPresent()) {
      return true;
    }
    writes = Optional.of(outstanding);
    awaiting = whenRoom;
    sequence = outstanding.begin(region);
    if (sequence.isEmpty()) {
      outstanding.awaitRoom(region, whenRoom);
    }
    return sequence.isPresent();
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
    RequestTag tag = writes.orElseThrow().tag(sequence.getAsLong(), region.id());
    new TaggedOperation(tag, operation).encode(to.nioBuffer(to.writerIndex(), bytes));
    to.writerIndex(to.writerIndex() + bytes);
  }

  @Override
  public T read(ByteBuf body, RegionDescriptor region) {
    Position position = DataFrames.readPosition(body);
    Result result = Result.decode(body.nioBuffer());
    if (result instanceof Result.Refused refused) {
      throw new RefusedException(refused.reason());
    } else if (result instanceof Result.Forgotten) {
      throw new IndeterminateException(
          "The cluster does not know whether the write took effect before: it came late, or its"
              + " region remembers as many requests as it can.");
    }
    return reader.read(position, result);
  }
}
