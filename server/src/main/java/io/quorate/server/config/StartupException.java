package io.quorate.server.config;

import io.quorate.common.FileErrors;
import java.io.IOException;

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

  /**
   * Files cannot be used: {@link EnvironmentException} if that may be otherwise at the next start.
   */
  public static StartupException ofFiles(String message, IOException cause) {
    return FileErrors.isOfEnvironment(cause)
        ? new EnvironmentException(message, cause)
        : new StartupException(message, cause);
  }
}
