package io.quorate.server.verification.checker;

import java.util.OptionalLong;

/** What a call needs of one key and does to it. Keys and values are numbers of the problem. */
sealed interface Access {
  int key();

  /** The value that {@code value} becomes, or {@link Values#NONE} if the call cannot meet it. */
  int after(int value, Values values);

  /** Found one of these values. */
  record Expect(int key, IntSet expected) implements Access {
    @Override
    public int after(int value, Values values) {
      return expected.contains(value) ? value : Values.NONE;
    }
  }

  /** Set the value, whatever it was. */
  record Write(int key, int value) implements Access {
    @Override
    public int after(int before, Values values) {
      return value;
    }
  }

  /** Found one of these values and set another one. */
  record Replace(int key, IntSet expected, int value) implements Access {
    @Override
    public int after(int before, Values values) {
      return expected.contains(before) ? value : Values.NONE;
    }

    /** Whether it leaves what it found. */
    boolean isNeutral() {
      return expected.size() == 1 && expected.contains(value);
    }
  }

  /** Added bytes to whatever was there. */
  record Append(int key, String suffix) implements Access {
    @Override
    public int after(int value, Values values) {
      return values.id(values.text(value).orElse("") + suffix);
    }
  }

  /** Added to the number if there was one, and did nothing otherwise. */
  record Add(int key, long delta) implements Access {
    @Override
    public int after(int value, Values values) {
      OptionalLong sum = values.sum(value, delta);
      return sum.isPresent() ? values.id(Long.toString(sum.getAsLong())) : value;
    }
  }

  /** Added to the number and got this sum. */
  record AddTo(int key, long delta, long sum) implements Access {
    @Override
    public int after(int value, Values values) {
      OptionalLong found = values.sum(value, delta);
      return found.isPresent() && found.getAsLong() == sum
          ? values.id(Long.toString(sum))
          : Values.NONE;
    }
  }

  /** Could not add. */
  record RefusedAdd(int key, long delta) implements Access {
    @Override
    public int after(int value, Values values) {
      return values.sum(value, delta).isPresent() ? Values.NONE : value;
    }
  }

  /** Whether the call sees nothing of the key, and leaves a value that does not depend on it. */
  default boolean isBlind() {
    return this instanceof Write;
  }

  /** Whether the key is never changed by it. */
  default boolean isPure() {
    return this instanceof Expect
        || this instanceof RefusedAdd
        || this instanceof Replace replace && replace.isNeutral();
  }

  /** Whether what it leaves depends on what it meets in a way that only the search finds out. */
  default boolean isTransformer() {
    return this instanceof Append || this instanceof Add;
  }
}
