package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * One command to replicate, opaque to the engine.
 *
 * <p>While it waits in a queue of the engine, its caller may {@linkplain #withdraw withdraw} it:
 * either that succeeds and the command never takes effect, or the engine has begun to replicate it.
 * An engine that never calls {@link #awaitBegin} has commands that cannot be withdrawn. Commands of
 * different {@linkplain Source sources} take turns in such a queue. Any thread.
 */
public final class Command {
  private static final AtomicIntegerFieldUpdater<Command> STATE =
      AtomicIntegerFieldUpdater.newUpdater(Command.class, "state");

  /** Not in a queue, or no longer. */
  private static final int BEGUN = 0;

  private static final int WAITING = 1;
  private static final int WITHDRAWN = 2;

  private final ByteBuffer payload;
  private final Source source;
  private final long waitNanosMax;
  private volatile int state = BEGUN;

  /** Whoever sends commands, such as a connection of a client. Equal only to itself. */
  public static final class Source {
    /** This node itself, which waits for as long as it takes. */
    public static final Source NODE = new Source("");

    private final Object user;
    private volatile boolean gone;

    /**
     * @param user whose sources share turns, by {@link Object#equals}
     */
    public Source(Object user) {
      this.user = Objects.requireNonNull(user, "user must not be null");
    }

    public Object user() {
      return user;
    }

    /** Withdraws all of its commands that wait, and will: nobody reads their results. */
    public void leave() {
      gone = true;
    }
  }

  /** A command of this node itself; otherwise as {@link #Command(ByteBuffer, Source, long)}. */
  public Command(ByteBuffer payload) {
    this(payload, Source.NODE, Long.MAX_VALUE);
  }

  /**
   * @param payload the bytes between position and limit, at least one. The engine changes neither
   *     the buffer's bounds nor its bytes. It may read the buffer until the stage that {@link
   *     ConsensusGroup#propose} returned completes; until then the caller must not change it.
   * @param source whoever sends it
   * @param waitNanosMax the time for which it may wait in a queue. An engine refuses a command as
   *     {@link ConsensusException.Overloaded} if it expects that to be longer, and as {@link
   *     ConsensusException.Unavailable} if nothing has left the queue for so long.
   */
  public Command(ByteBuffer payload, Source source, long waitNanosMax) {
    if (!payload.hasRemaining()) {
      throw new IllegalArgumentException("A command has at least one byte");
    }
    this.payload = payload;
    this.source = Objects.requireNonNull(source, "source must not be null");
    this.waitNanosMax = waitNanosMax;
  }

  public Source source() {
    return source;
  }

  public long waitNanosMax() {
    return waitNanosMax;
  }

  /** The bytes between position and limit. */
  public ByteBuffer payload() {
    return payload;
  }

  /** Length of the payload in bytes. */
  public int size() {
    return payload.remaining();
  }

  /**
   * Takes the command back if it waits in a queue of the engine.
   *
   * @return whether it does not take effect: the engine fails it with {@link
   *     ConsensusException.Unavailable} when its turn comes. If false, {@link
   *     ConsensusGroup#propose} says what happened.
   */
  public boolean withdraw() {
    return STATE.compareAndSet(this, WAITING, WITHDRAWN);
  }

  /** Called by the engine before it queues the command, which can be withdrawn from now on. */
  public void awaitBegin() {
    state = WAITING;
  }

  /**
   * Called by the engine before it replicates a command that {@linkplain #awaitBegin waited}.
   *
   * @return false if the command is withdrawn, or its source has left; it must not be replicated
   */
  public boolean begin() {
    return !source.gone && STATE.compareAndSet(this, WAITING, BEGUN);
  }

  /** The failure of a command that was withdrawn. */
  public static ConsensusException withdrawn() {
    return new ConsensusException.Unavailable(
        "The command was withdrawn while it waited in the queue; it had no effect.");
  }
}
