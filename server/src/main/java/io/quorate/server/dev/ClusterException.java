package io.quorate.server.dev;

/**
 * A cluster that cannot be started as asked, or that does not serve. The message is one sentence
 * for a user.
 */
public class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ClusterException(String message) {
    super(message);
  }

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The processes were started, but the cluster did not come to serve. */
  public static final class NotServing extends ClusterException {
    private static final long serialVersionUID = 1L;

    public NotServing(String message) {
      super(message);
    }

    public NotServing(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
