package io.quorate.server.config;

/**
 * The node cannot start for a reason that the operator can fix. The message is one sentence that
 * names the key, the limit or the file; it is meant to be shown without a stack trace.
 */
public class StartupException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StartupException(String message) {
    super(message);
  }

  public StartupException(String message, Throwable cause) {
    super(message, cause);
  }
}
