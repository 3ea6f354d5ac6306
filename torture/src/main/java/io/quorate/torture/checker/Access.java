package io.quorate.torture.checker;

import java.util.OptionalLong;

/**
 * The part of a call on one key: the values that it can have observed, and its change. Keys and
 * values are numbers of the problem.
 */
sealed interface Access {

  /**
   * The kinds of accesses, one for each record. A switch expression over them compiles only if it
   * covers every access.
   */
  enum Kind {
    EXPECT,
    WRITE,
    REPLACE,
    APPEND,
    ADD,
    ADD_TO,
    REFUSED_ADD
  }

  Kind kind();

  int key();

  /**
   * The value after the call if it is {@code value} before; {@link Values#NONE} if the call cannot
   * have observed that.
   */
  int after(int value, Values values);

  /** Observed one of these values. */
  record Expect(int key, IntSet expected) implements Access {
    @Override
    public Kind kind() {
      return Kind.EXPECT;
    }

    @Override
    public int after(int value, Values values) {
      return expected.contains(value) ? value : Values.NONE;
    }
  }

  /** Set the value, whatever it was before. */
  record Write(int key, int value) implements Access {
    @Override
    public Kind kind() {
      return Kind.WRITE;
    }

    @Override
    public int after(int before, Values values) {
      return value;
    }
  }

  /** Observed one of these values and set another one. */
  record Replace(int key, IntSet expected, int value) implements Access {
    @Override
    public Kind kind() {
      return Kind.REPLACE;
    }

    @Override
    public int after(int before, Values values) {
      return expected.contains(before) ? value : Values.NONE;
    }

    /** Whether it leaves the value that it observed. */
    boolean isNeutral() {
      return expected.size() == 1 && expected.contains(value);
    }
  }

  /** Appended a suffix to the value, whatever it was before. */
  record Append(int key, String suffix) implements Access {
    @Override
    public Kind kind() {
      return Kind.APPEND;
    }

    @Override
    public int after(int value, Values values) {
      return values.id(values.text(value).orElse("") + suffix);
    }
  }

  /** Added to the value if it was a number and the sum fits; did nothing otherwise. */
  record Add(int key, long delta) implements Access {
    @Override
    public Kind kind() {
      return Kind.ADD;
    }

    @Override
    public int after(int value, Values values) {
      OptionalLong sum = values.sum(value, delta);
      return sum.isPresent() ? values.id(Long.toString(sum.getAsLong())) : value;
    }
  }

  /** Added to the number and returned this sum. */
  record AddTo(int key, long delta, long sum) implements Access {
    @Override
    public Kind kind() {
      return Kind.ADD_TO;
    }

    @Override
    public int after(int value, Values values) {
      OptionalLong found = values.sum(value, delta);
      return found.isPresent() && found.getAsLong() == sum
          ? values.id(Long.toString(sum))
          : Values.NONE;
    }
  }

  /** Was refused, because the value was no number or the sum does not fit. */
  record RefusedAdd(int key, long delta) implements Access {
    @Override
    public Kind kind() {
      return Kind.REFUSED_ADD;
    }

    @Override
    public int after(int value, Values values) {
      return values.sum(value, delta).isPresent() ? Values.NONE : value;
    }
  }

  /**
   * Whether the call observes nothing of the key, so that the value after it does not depend on it.
   */
  default boolean isBlind() {
    return switch (kind()) {
      case WRITE -> true;
      case EXPECT, REPLACE, APPEND, ADD, ADD_TO, REFUSED_ADD -> false;
    };
  }

  /** Whether it never changes the key. */
  default boolean isPure() {
    return switch (kind()) {
      case EXPECT, REFUSED_ADD -> true;
      case REPLACE -> ((Replace) this).isNeutral();
      case WRITE, APPEND, ADD, ADD_TO -> false;
    };
  }

  /**
   * Whether the value after it depends on the value before it, which only the search determines.
   */
  default boolean isTransformer() {
    return switch (kind()) {
      case APPEND, ADD -> true;
      case EXPECT, WRITE, REPLACE, ADD_TO, REFUSED_ADD -> false;
    };
  }

  /**
   * The value of a plain key after the call; {@link Values#NONE} if the call leaves the value that
   * it observed, or its key is not plain.
   */
  default int produced() {
    return switch (kind()) {
      case WRITE -> ((Write) this).value();
      case REPLACE -> ((Replace) this).isNeutral() ? Values.NONE : ((Replace) this).value();
      case EXPECT, APPEND, ADD, ADD_TO, REFUSED_ADD -> Values.NONE;
    };
  }
}
