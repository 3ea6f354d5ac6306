package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.model.Position;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a write did that was executed, by the kind of the write. */
public sealed interface WriteOutcome {
  /** The position of the write in the order of its region. */
  Position position();

  /**
   * A put, delete, append, increment without result, or batch is done, with what these say of
   * changes that do not fit the present value.
   */
  record Done(Position position) implements WriteOutcome {
    public Done {
      Nulls.refuse(position, "position");
    }
  }

  /**
   * An increment has returned its sum.
   *
   * @param value the number after the increment
   */
  record Sum(Position position, long value) implements WriteOutcome {
    public Sum {
      Nulls.refuse(position, "position");
    }
  }

  /**
   * A compare-and-set, or put-if-absent, has returned its result.
   *
   * @param result whether it has swapped, and what it found otherwise
   */
  record Swap(Position position, CompareAndSetResult<byte[]> result) implements WriteOutcome {
    public Swap {
      Nulls.refuse(position, "position");
      Nulls.refuse(result, "result");
    }
  }

  /**
   * A get-and-put has set the value. Two instances are equal if their bytes are equal.
   *
   * @param value the value that it replaced; empty if there was none
   */
  record Replaced(Position position, Optional<byte[]> value) implements WriteOutcome {
    public Replaced {
      Nulls.refuse(position, "position");
      Nulls.refuse(value, "value");
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Replaced that
          && position.equals(that.position)
          && Arrays.equals(value.orElse(null), that.value.orElse(null));
    }

    @Override
    public int hashCode() {
      return 31 * position.hashCode() + Arrays.hashCode(value.orElse(null));
    }

    @Override
    public String toString() {
      return "Replaced[position=" + position + ", value=" + value.map(KeyValue::display) + "]";
    }
  }
}
