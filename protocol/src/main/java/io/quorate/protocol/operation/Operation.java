package io.quorate.protocol.operation;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.KeyScope;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * One change to the database. Values are the bytes of their buffers between position and limit; the
 * buffers are never changed.
 *
 * <p>The result of an operation either depends on the state to which it is applied, or the
 * operation is <em>result-free</em> and cannot fail when it is applied (B1). Therefore a
 * result-free increment of a value that is not a number, or an append that would exceed the maximum
 * size of a value, has no effect and reports no error. {@link IncrementAndGet} and {@link
 * CompareAndSet} report such errors in their results. Where values may be bodies (decision 0029),
 * an append to a body needs that body, and a batch with one is refused: such results are known at
 * apply only.
 *
 * <p>A number is a value of decimal digits with an optional minus sign that fits in a signed 64-bit
 * integer. A missing value counts as 0.
 */
public sealed interface Operation {

  /**
   * The kinds of operations, one for each record. A switch expression over them compiles only if it
   * covers every operation.
   */
  enum Kind {
    PUT(1),
    DELETE(2),
    APPEND(3),
    INCREMENT(4),
    INCREMENT_AND_GET(5),
    GET_AND_PUT(6),
    COMPARE_AND_SET(7),
    BATCH(8),
    EXPIRE_SESSIONS(9),
    PUT_BODY(10),
    RESOLVED(11),
    SPLIT(12),
    FREEZE(13),
    UNFREEZE(14),
    ABSORB(15),
    END_SESSION(16),
    DIGEST(17);

    private static final Kind[] ALL = values();

    private final byte tag;

    Kind(int tag) {
      this.tag = (byte) tag;
    }

    /** The first byte of the encoding. */
    byte tag() {
      return tag;
    }

    static Kind of(byte tag) {
      if (tag < 1 || tag > ALL.length) {
        throw new DecodeException("There is no operation " + tag + ".");
      }
      return ALL[tag - 1];
    }
  }

  Kind kind();

  /** Whether the result is known only when the operation is applied to the state. */
  default boolean resultNeedsState() {
    return switch (kind()) {
      case INCREMENT_AND_GET, GET_AND_PUT, COMPARE_AND_SET -> true;
      // Their commands may arrive at a position of another epoch than their bodies'.
      case PUT_BODY, RESOLVED -> true;
      // It takes effect, or has taken effect before, only where the state says so.
      case SPLIT, FREEZE, UNFREEZE, ABSORB -> true;
      case PUT, DELETE, APPEND, INCREMENT, BATCH, EXPIRE_SESSIONS, END_SESSION, DIGEST -> false;
    };
  }

  /** The body to which the state may refer after the operation; most have none. */
  default Optional<BodyReference> newBody() {
    return Optional.empty();
  }

  /** The write set: the keys that the operation may write. */
  KeyScope writeSet();

  /** An operation on one key. */
  sealed interface OnKey extends Operation {
    Key key();

    @Override
    default KeyScope writeSet() {
      return KeyScope.key(key());
    }

    /** The size of the largest value in the operation, in bytes. */
    int largestValueBytes();
  }

  /** Sets the value. */
  record Put(Key key, ByteBuffer value) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.PUT;
    }

    @Override
    public int largestValueBytes() {
      return value.remaining();
    }
  }

  /**
   * Sets the value to a body that the engine has replicated beside the log. Only servers propose
   * it, in place of a {@link Put} of a client. It has no effect if its position is not of the
   * body's epoch (CRaft as built, decision 0029).
   */
  record PutBody(Key key, BodyReference body) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.PUT_BODY;
    }

    @Override
    public Optional<BodyReference> newBody() {
      return Optional.of(body);
    }

    @Override
    public int largestValueBytes() {
      return body.length();
    }
  }

  /** Removes the key. Has no effect if the key does not exist. */
  record Delete(Key key) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.DELETE;
    }

    @Override
    public int largestValueBytes() {
      return 0;
    }
  }

  /**
   * Appends bytes to the value. A missing value counts as empty.
   *
   * @param valueBytesMax the maximum size of the resulting value in bytes, 0 to {@link
   *     Limits#VALUE_BYTES_MAX}; the append has no effect if the value would be larger. It is part
   *     of the command, because all replicas must apply it identically whatever their own limits
   *     are. The node that proposes the command lowers it to its limit with {@link Limits#bound}.
   */
  record Append(Key key, ByteBuffer suffix, int valueBytesMax) implements OnKey {
    public Append {
      if (valueBytesMax < 0 || valueBytesMax > Limits.VALUE_BYTES_MAX) {
        throw new IllegalArgumentException(
            "An append makes a value of 0 to "
                + Limits.VALUE_BYTES_MAX
                + " bytes at most, not "
                + valueBytesMax
                + ".");
      }
    }

    /** An append with the maximum value bound. */
    public Append(Key key, ByteBuffer suffix) {
      this(key, suffix, Limits.VALUE_BYTES_MAX);
    }

    @Override
    public Kind kind() {
      return Kind.APPEND;
    }

    @Override
    public int largestValueBytes() {
      return suffix.remaining();
    }
  }

  /** Adds to the number. Result-free. */
  record Increment(Key key, long delta) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.INCREMENT;
    }

    @Override
    public int largestValueBytes() {
      return 0;
    }
  }

  /** Adds to the number and returns the sum. */
  record IncrementAndGet(Key key, long delta) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.INCREMENT_AND_GET;
    }

    @Override
    public int largestValueBytes() {
      return 0;
    }
  }

  /** Sets the value and returns the previous value. */
  record GetAndPut(Key key, ByteBuffer value) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.GET_AND_PUT;
    }

    @Override
    public int largestValueBytes() {
      return value.remaining();
    }
  }

  /**
   * Replaces the value if it equals the expected value.
   *
   * @param expected the expected value; empty if the key must not exist
   * @param replacement the new value; empty to remove the key
   */
  record CompareAndSet(Key key, Optional<ByteBuffer> expected, Optional<ByteBuffer> replacement)
      implements OnKey {
    @Override
    public Kind kind() {
      return Kind.COMPARE_AND_SET;
    }

    @Override
    public int largestValueBytes() {
      return Math.max(
          expected.map(ByteBuffer::remaining).orElse(0),
          replacement.map(ByteBuffer::remaining).orElse(0));
    }
  }

  /**
   * The outcome of an operation that needs a value which is a body, as the leader computed it from
   * that body (rule E7). Only servers propose it, in place of an {@link Append}, {@link GetAndPut}
   * or {@link CompareAndSet} that had the result {@link Result.NeedsBody}. It has no effect, and
   * the result {@link Result#SUPERSEDED}, unless the value is still that body, or if its position
   * is not of the epoch of the body that it puts.
   *
   * @param expectedEpoch the epoch of the body from which the outcome was computed
   * @param expectedNumber the number of that body in its epoch
   * @param result the encoded {@link Result} of the operation that it replaces
   */
  record Resolved(
      Key key, long expectedEpoch, long expectedNumber, ValueChange change, ByteBuffer result)
      implements OnKey {
    /** The same outcome, with a body in the place of the new value. */
    public Resolved withBody(BodyReference body) {
      return new Resolved(
          key, expectedEpoch, expectedNumber, new ValueChange.PutBody(body), result);
    }

    /** Whether a body is the one from which the outcome was computed. */
    public boolean expects(BodyReference body) {
      return body.epoch() == expectedEpoch && body.number() == expectedNumber;
    }

    @Override
    public Kind kind() {
      return Kind.RESOLVED;
    }

    @Override
    public Optional<BodyReference> newBody() {
      return change instanceof ValueChange.PutBody put ? Optional.of(put.body()) : Optional.empty();
    }

    @Override
    public int largestValueBytes() {
      return change.valueBytes();
    }
  }

  /**
   * Several operations that take effect atomically, in the order of the list.
   *
   * @param operations {@link Put}, {@link Delete}, {@link Append} and {@link Increment} only
   */
  record Batch(List<OnKey> operations) implements Operation {
    public Batch {
      operations = List.copyOf(operations);
      for (OnKey operation : operations) {
        if (operation.resultNeedsState()) {
          throw new IllegalArgumentException(
              "A batch holds put, delete, append and increment only, not "
                  + operation.getClass().getSimpleName());
        }
      }
    }

    @Override
    public Kind kind() {
      return Kind.BATCH;
    }

    @Override
    public KeyScope writeSet() {
      return new KeyScope.Keys(operations.stream().map(OnKey::key).toList());
    }
  }

  /** An operation that writes no row. */
  sealed interface OnNoKey extends Operation {
    @Override
    default KeyScope writeSet() {
      return new KeyScope.Keys(List.of());
    }
  }

  /**
   * Removes the client sessions that were last active before a position. Only servers propose it,
   * so that every replica removes the same sessions at the same position of the log.
   */
  record ExpireSessions(Position before) implements OnNoKey {
    @Override
    public Kind kind() {
      return Kind.EXPIRE_SESSIONS;
    }
  }

  /**
   * Ends the session of the client that proposes it: its results are removed, and no copy of any of
   * its requests takes effect any more (decision 0068). Changes no rows, and has no effect without
   * a session.
   */
  record EndSession() implements OnNoKey {
    @Override
    public Kind kind() {
      return Kind.END_SESSION;
    }
  }

  /**
   * Requests a digest of the rows and sessions of the region as of its position from each replica,
   * so that replicas can be compared (decision 0071). Changes nothing. Only servers propose it.
   *
   * @param bounds the keys that divide the region in the parts with a digest of their own, in
   *     ascending order, at most {@link #BOUNDS_MAX}; those outside of the region do not matter
   */
  record Digest(List<Key> bounds) implements OnNoKey {
    public static final int BOUNDS_MAX = 63;

    public Digest {
      bounds = List.copyOf(bounds);
      if (bounds.size() > BOUNDS_MAX) {
        throw new IllegalArgumentException(
            "A digest has at most " + BOUNDS_MAX + " bounds, not " + bounds.size() + ".");
      }
      for (int i = 1; i < bounds.size(); i++) {
        if (bounds.get(i - 1).compareTo(bounds.get(i)) >= 0) {
          throw new IllegalArgumentException("The bounds of a digest do not ascend.");
        }
      }
    }

    @Override
    public Kind kind() {
      return Kind.DIGEST;
    }
  }

  /** An operation that changes which keys the region has. Only servers propose it. */
  sealed interface OnRange extends Operation {
    /**
     * The number of the change, from the sequence of the ids of regions. It is greater than that of
     * every earlier change of the region; a command whose number is not has no effect.
     */
    GroupId number();
  }

  /**
   * Splits the region in two: it keeps its keys below a key, and a new region, the child, begins
   * with the others (decision 0034). Only servers propose it.
   *
   * <p>A split is planned once, and a plan is never withdrawn: the next split of the region is
   * planned when this one is complete, with a greater id of its child. So a child with an id that
   * is not greater than that of the region and of each of its earlier children stands for a split
   * that is in force. A proposal that arrives late or repeatedly then changes nothing, and has the
   * result {@link Result#DONE} again.
   *
   * @param at the lowest key of the child; strictly inside the range of the region, otherwise the
   *     split is refused
   * @param child the id of the child, which was never used before
   */
  record Split(Key at, GroupId child) implements OnRange {
    @Override
    public Kind kind() {
      return Kind.SPLIT;
    }

    @Override
    public GroupId number() {
      return child;
    }

    /**
     * The keys that leave the region: those from the split key on, whatever the end of the range.
     */
    @Override
    public KeyScope writeSet() {
      return KeyScope.range(KeyRange.from(at));
    }
  }

  /**
   * Begins the merge of the region with the one before it in key order: from here on the region has
   * no keys, while its rows and sessions stay as they are, to be {@linkplain Absorb absorbed}
   * (decision 0055). Only servers propose it.
   *
   * <p>A proposal that arrives late or repeatedly changes nothing, and has the result {@link
   * Result#DONE} again, whether the region is still frozen or not.
   *
   * @param number the number of the merge
   */
  record Freeze(GroupId number) implements OnRange {
    @Override
    public Kind kind() {
      return Kind.FREEZE;
    }

    @Override
    public KeyScope writeSet() {
      return KeyScope.range(KeyRange.ALL);
    }
  }

  /**
   * Gives up a merge, because the region is too large to be absorbed: the region has its keys
   * again, and a {@link Freeze} of the same merge has no effect any more. Only servers propose it,
   * and only if the state of the region as frozen exceeds {@link Absorb#STATE_BYTES_MAX}, which
   * every replica finds alike: so the merge is either given up or completed.
   *
   * @param number the number of the merge
   */
  record Unfreeze(GroupId number) implements OnRange {
    @Override
    public Kind kind() {
      return Kind.UNFREEZE;
    }

    @Override
    public KeyScope writeSet() {
      return KeyScope.range(KeyRange.ALL);
    }
  }

  /**
   * Completes a merge: the region receives the keys of the next one, which is frozen, with its rows
   * and sessions (decision 0055). Only servers propose it. Has no effect when it is repeated.
   *
   * @param number the number of the merge
   * @param range the keys of the region that is absorbed; they begin where those of this region
   *     end, otherwise the command is refused
   * @param state the rows and sessions of that region in the encoding of the state machine, at most
   *     {@link #STATE_BYTES_MAX} bytes
   */
  record Absorb(GroupId number, KeyRange range, ByteBuffer state) implements OnRange {
    /** Not a setting: every node has to find alike whether a region can be absorbed. */
    public static final int STATE_BYTES_MAX = 1 << 20;

    /** An upper bound of the size of the whole command in bytes. */
    public static final int COMMAND_BYTES_MAX = STATE_BYTES_MAX + 2 * Limits.KEY_BYTES_MAX + 128;

    @Override
    public Kind kind() {
      return Kind.ABSORB;
    }

    /** The keys that the region receives: those from its end on, whatever their end. */
    @Override
    public KeyScope writeSet() {
      return KeyScope.range(KeyRange.from(range.start()));
    }
  }
}
