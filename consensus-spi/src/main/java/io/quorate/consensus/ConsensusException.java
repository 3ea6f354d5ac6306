package io.quorate.consensus;

import java.time.Duration;
import java.util.Optional;

/**
 * Why an engine did not do what it was asked. Each kind says what may have happened, and so what
 * the caller may do. Carries no stack trace: these are answers, not bugs.
 */
public sealed class ConsensusException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private ConsensusException(String message, Throwable cause) {
    super(message, cause, false, false);
  }

  /** Nothing happened here. Ask the leader, if it is known, or any other member. */
  public static final class Redirect extends ConsensusException {
    private static final long serialVersionUID = 1L;
    private final transient Optional<NodeId> leader;

    public Redirect(Optional<NodeId> leader) {
      super("Not the leader; it is " + leader.map(NodeId::value).orElse("unknown"), null);
      this.leader = leader;
    }

    public Optional<NodeId> leader() {
      return leader;
    }
  }

  /** Nothing happened: a queue is full. Try again after the given time. */
  public static final class Overloaded extends ConsensusException {
    private static final long serialVersionUID = 1L;
    private final Duration retryAfter;

    public Overloaded(String what, Duration retryAfter) {
      super(what, null);
      this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /** Nothing happened: the group cannot serve now. Try again, here or elsewhere. */
  public static final class Unavailable extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String why) {
      super(why, null);
    }
  }

  /**
   * The command may have been committed, may be committed later, or never. Only a command that is
   * recognised when it comes twice may be proposed again.
   */
  public static final class Indeterminate extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Indeterminate(String why, Throwable cause) {
      super(why, cause);
    }
  }

  /** Nothing happened, and nothing will however often it is tried: the request breaks a limit. */
  public static final class Invalid extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Invalid(String why) {
      super(why, null);
    }
  }

  /** This replica has failed for good (a lost disk, a corrupt log). The process must stop. */
  public static final class Fatal extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Fatal(String why, Throwable cause) {
      super(why, cause);
    }
  }
}
