package io.quorate.server.localcluster;

/**
 * Reports a cluster that cannot be started as requested, or that does not serve. The message is one
 * sentence for the operator.
 */
public class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ClusterException(String message) {
    super(message);
  }

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The processes were started, but the cluster does not serve. */
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
