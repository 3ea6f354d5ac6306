package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.Optional;

/**
 * The failure of a request to an engine. Each kind defines what may have happened to the request,
 * and therefore whether the caller may retry it. Instances carry no stack trace, because they
 * report expected conditions and not bugs.
 */
public sealed class ConsensusException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * The kinds of failures, one for each subclass. A switch expression over them compiles only if it
   * covers every failure.
   */
  public enum Kind {
    REDIRECT,
    OVERLOADED,
    UNAVAILABLE,
    INDETERMINATE,
    INVALID,
    FATAL
  }

  private final Kind kind;

  private ConsensusException(Kind kind, String message, Throwable cause) {
    super(message, cause, false, false);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /**
   * This replica does not lead, and nothing happened. The caller retries at the leader if it is
   * known, otherwise at any other member.
   */
  public static final class Redirect extends ConsensusException {
    private static final long serialVersionUID = 1L;
    private final transient Optional<NodeId> leader;

    public Redirect(Optional<NodeId> leader) {
      super(
          Kind.REDIRECT,
          "Not the leader; it is " + leader.map(NodeId::value).orElse("unknown"),
          null);
      this.leader = leader;
    }

    /** The current leader; empty if it is unknown. */
    public Optional<NodeId> leader() {
      return leader;
    }
  }

  /**
   * A bound on pending work is reached, and nothing happened. The caller retries after {@link
   * #retryAfter()}.
   */
  public static final class Overloaded extends ConsensusException {
    private static final long serialVersionUID = 1L;
    private final Duration retryAfter;

    public Overloaded(String message, Duration retryAfter) {
      super(Kind.OVERLOADED, message, null);
      this.retryAfter = retryAfter;
    }

    /** The minimum time to wait before a retry. */
    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /**
   * This replica cannot serve the request now, and nothing happened. The caller may retry at this
   * replica or at another one.
   */
  public static final class Unavailable extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String message) {
      super(Kind.UNAVAILABLE, message, null);
    }
  }

  /**
   * The outcome is unknown: the command may have been committed, may be committed later, or may
   * never be committed. The caller may propose it again only if the state machine deduplicates it.
   */
  public static final class Indeterminate extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Indeterminate(String message, Throwable cause) {
      super(Kind.INDETERMINATE, message, cause);
    }
  }

  /** The request violates a limit, and nothing happened. A retry fails in the same way. */
  public static final class Invalid extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Invalid(String message) {
      super(Kind.INVALID, message, null);
    }
  }

  /**
   * This replica has failed permanently, for example because of a failed disk or a corrupt log. The
   * outcome of pending proposals is unknown. The process must stop.
   */
  public static final class Fatal extends ConsensusException {
    private static final long serialVersionUID = 1L;

    public Fatal(String message, Throwable cause) {
      super(Kind.FATAL, message, cause);
    }
  }
}
