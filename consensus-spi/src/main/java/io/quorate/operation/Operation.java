package io.quorate.operation;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * One change to the database. Value buffers are read between position and limit and never moved.
 *
 * <p>An operation either has a result that needs the state it meets, or it is <em>result-free</em>
 * and cannot fail when it is applied (PROTOCOLS B1). A result-free increment of a value that is not
 * a number, or an append that would make a value too long, therefore changes nothing and says
 * nothing; {@link IncrementAndGet} and {@link CompareAndSet} are told.
 *
 * <p>A number is a value of decimal digits with an optional minus sign that fits in 64 bits; a
 * missing value counts as 0.
 */
public sealed interface Operation {

  /** Whether the answer can be given only by whoever applies the operation. */
  default boolean resultNeedsState() {
    return false;
  }

  /** The keys it may write. */
  KeyScope footprint();

  /** An operation on one key. */
  sealed interface OnKey extends Operation {
    Key key();

    @Override
    default KeyScope footprint() {
      return KeyScope.key(key());
    }

    /** Length of the longest value the operation carries. */
    default int largestValueBytes() {
      return 0;
    }
  }

  /** Sets the value. */
  record Put(Key key, ByteBuffer value) implements OnKey {
    @Override
    public int largestValueBytes() {
      return value.remaining();
    }
  }

  /** Removes the key; no error if there is none. */
  record Delete(Key key) implements OnKey {}

  /**
   * Adds bytes at the end of the value, which counts as empty if there is none.
   *
   * @param valueBytesMost longest value that it may make, 0 to {@link Limits#VALUE_BYTES_MOST}; it
   *     changes nothing if the value would be longer. Part of the command, because every replica
   *     has to decide alike, whatever its own limits are at that time: the node that proposes the
   *     command lowers it to its own limit with {@link Limits#bound}.
   */
  record Append(Key key, ByteBuffer suffix, int valueBytesMost) implements OnKey {
    public Append {
      if (valueBytesMost < 0 || valueBytesMost > Limits.VALUE_BYTES_MOST) {
        throw new IllegalArgumentException(
            "An append makes a value of 0 to "
                + Limits.VALUE_BYTES_MOST
                + " bytes at most, not "
                + valueBytesMost
                + ".");
      }
    }

    /** Without a bound of the client's own. */
    public Append(Key key, ByteBuffer suffix) {
      this(key, suffix, Limits.VALUE_BYTES_MOST);
    }

    @Override
    public int largestValueBytes() {
      return suffix.remaining();
    }
  }

  /** Adds to the number, without an answer. */
  record Increment(Key key, long delta) implements OnKey {}

  /** Adds to the number and answers the sum. */
  record IncrementAndGet(Key key, long delta) implements OnKey {
    @Override
    public boolean resultNeedsState() {
      return true;
    }
  }

  /** Sets the value and answers what it was. */
  record GetAndPut(Key key, ByteBuffer value) implements OnKey {
    @Override
    public boolean resultNeedsState() {
      return true;
    }

    @Override
    public int largestValueBytes() {
      return value.remaining();
    }
  }

  /**
   * Replaces the value if it is what was expected.
   *
   * @param expected the value there must be; empty for "no value"
   * @param replacement the value there shall be; empty to remove the key
   */
  record CompareAndSet(Key key, Optional<ByteBuffer> expected, Optional<ByteBuffer> replacement)
      implements OnKey {
    @Override
    public boolean resultNeedsState() {
      return true;
    }

    @Override
    public int largestValueBytes() {
      return Math.max(
          expected.map(ByteBuffer::remaining).orElse(0),
          replacement.map(ByteBuffer::remaining).orElse(0));
    }
  }

  /**
   * Several changes that take effect together, in order.
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
    public KeyScope footprint() {
      return new KeyScope.Keys(operations.stream().map(OnKey::key).toList());
    }
  }

  /**
   * Forgets client sessions that were last active before a position. Proposed by the server itself,
   * so that every replica forgets the same sessions at the same place.
   */
  record ExpireSessions(Position before) implements Operation {
    @Override
    public KeyScope footprint() {
      return new KeyScope.Keys(List.of());
    }
  }
}
