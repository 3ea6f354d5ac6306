package io.quorate.model;

import java.util.Objects;

/**
 * How recent the state must be that a read reflects. A read states the guarantee it needs; the
 * engine and its settings determine the protocol that provides it.
 */
public sealed interface Guarantee {

  /**
   * The kinds of guarantees, one for each record. A switch expression over them compiles only if it
   * covers every guarantee.
   */
  enum Kind {
    LINEARIZABLE,
    LINEARIZABLE_IF_CLOCKS_BOUNDED,
    AT_LEAST,
    LOCAL
  }

  Kind kind();

  /** Whether this is {@link Linearizable}, with or without the condition on clocks. */
  default boolean isLinearizable() {
    return switch (kind()) {
      case LINEARIZABLE, LINEARIZABLE_IF_CLOCKS_BOUNDED -> true;
      case AT_LEAST, LOCAL -> false;
    };
  }

  /** The read reflects every write acknowledged before it began. Does not depend on clocks. */
  record Linearizable() implements Guarantee {
    @Override
    public Kind kind() {
      return Kind.LINEARIZABLE;
    }
  }

  /**
   * As {@link Linearizable}, provided that the rates of the replicas' clocks differ by no more than
   * {@link io.quorate.consensus.Capabilities#clockDrift()}. Served as {@link Linearizable} where no
   * clock is needed.
   */
  record LinearizableIfClocksBounded() implements Guarantee {
    @Override
    public Kind kind() {
      return Kind.LINEARIZABLE_IF_CLOCKS_BOUNDED;
    }
  }

  /**
   * The read reflects every write up to {@code position}. It may miss newer writes of other
   * clients.
   */
  record AtLeast(Position position) implements Guarantee {
    public AtLeast {
      Objects.requireNonNull(position, "position must not be null");
    }

    @Override
    public Kind kind() {
      return Kind.AT_LEAST;
    }
  }

  /** The read reflects the state that this replica has applied, which may be arbitrarily old. */
  record Local() implements Guarantee {
    @Override
    public Kind kind() {
      return Kind.LOCAL;
    }
  }

  Guarantee LINEARIZABLE = new Linearizable();
  Guarantee LINEARIZABLE_IF_CLOCKS_BOUNDED = new LinearizableIfClocksBounded();
  Guarantee LOCAL = new Local();
}
