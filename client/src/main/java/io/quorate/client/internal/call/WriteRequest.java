package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.RefusedException;
import io.quorate.client.WriteOutcome;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A write. It receives its sequence number before it is first sent and keeps it for every attempt,
 * except where a region could not know whether that number took effect and the client knows that it
 * did not, or that it never will.
 */
public final class WriteRequest<T> implements RegionRequest<T> {
  /**
   * Limits that no cluster exceeds, however it is configured; the servers check the configured
   * limits.
   */
  private static final Limits LIMITS_MAX =
      new Limits(
          Limits.KEY_BYTES_MAX, Limits.VALUE_BYTES_MAX, Limits.BATCH_OPERATIONS_MAX, 1 << 29);

  /** Converts the result of the operation for the caller. */
  public interface Reader<T> {
    /**
     * @throws DecodeException if the outcome does not belong to the operation
     */
    T read(WriteOutcome outcome);
  }

  private final Operation operation;
  private final Key key;
  private final int bytes;
  private final Reader<T> reader;
  private Optional<SessionSequencer> writes = Optional.empty();
  private OptionalLong sequence = OptionalLong.empty();
  private Optional<UnsettledWrite> unsettled = Optional.empty();
  // Null before the first attempt.
  private Runnable awaiting;

  private WriteRequest(Operation operation, Key key, Reader<T> reader, int bytes) {
    this.operation = operation;
    this.key = key;
    this.reader = reader;
    this.bytes = bytes;
  }

  private static <T> WriteRequest<T> checked(Operation operation, Key key, Reader<T> reader) {
    try {
      LIMITS_MAX.check(operation);
    } catch (DecodeException e) {
      throw new InvalidRequestException(e.getMessage());
    }
    int bytes = new ClientCommand(RequestId.NONE, operation).size();
    return new WriteRequest<>(operation, key, reader, bytes);
  }

  /**
   * @throws InvalidRequestException if no cluster can store the key or a value
   */
  public static <T> WriteRequest<T> of(Operation.OnKey operation, Reader<T> reader) {
    return checked(operation, operation.key(), reader);
  }

  /**
   * @throws InvalidRequestException if the batch is empty, or no cluster can store a key or a value
   */
  public static <T> WriteRequest<T> of(Operation.Batch batch, Reader<T> reader) {
    if (batch.operations().isEmpty()) {
      throw new InvalidRequestException("A batch has at least 1 operation; this one is empty.");
    }
    return checked(batch, batch.operations().get(0).key(), reader);
  }

  @Override
  public Opcode opcode() {
    return Opcode.WRITE;
  }

  @Override
  public boolean isWrite() {
    return true;
  }

  @Override
  public Key key() {
    return key;
  }

  @Override
  public Set<Key> orderedKeys() {
    return operation instanceof Operation.Batch batch
        ? batch.operations().stream().map(Operation.OnKey::key).collect(Collectors.toSet())
        : Set.of(key);
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
  public Optional<UnsettledWrite> unsettled(ClientContext context) {
    if (unsettled.isEmpty() && sequence.isPresent()) {
      WriteRequest<WriteOutcome> further =
          new WriteRequest<>(operation, key, this::checkedOutcome, bytes);
      further.writes = writes;
      further.sequence = sequence;
      further.unsettled = Optional.of(new UnsettledWrite(context, further));
      unsettled = further.unsettled;
    }
    return unsettled;
  }

  private WriteOutcome checkedOutcome(WriteOutcome outcome) {
    reader.read(outcome);
    return outcome;
  }

  /**
   * Keeps the sequence number outstanding after a call.
   *
   * @param whenInTheWay run when other writes wait for it to end; it ends the request
   */
  void hold(Runnable whenInTheWay) {
    writes.orElseThrow().hold(sequence.getAsLong(), whenInTheWay);
  }

  /** Called when a call goes on with the request that is held. */
  void resume() {
    writes.orElseThrow().resume(sequence.getAsLong());
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
    return reader.read(outcome(position, result));
  }

  private static WriteOutcome outcome(Position position, Result result) {
    if (result instanceof Result.Done) {
      return new WriteOutcome.Done(position);
    } else if (result instanceof Result.Number number) {
      return new WriteOutcome.Sum(position, number.value());
    } else if (result instanceof Result.Swap swap) {
      return new WriteOutcome.Swap(
          position,
          new CompareAndSetResult<>(swap.swapped(), swap.current().map(WriteRequest::copy)));
    } else if (result instanceof Result.Value before) {
      return new WriteOutcome.Replaced(position, before.value().map(WriteRequest::copy));
    }
    throw new DecodeException(
        "the result " + result.getClass().getSimpleName() + " is not one of a client's write");
  }

  private static byte[] copy(ByteBuffer value) {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }
}
