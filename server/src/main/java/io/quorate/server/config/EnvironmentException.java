package io.quorate.server.config;

/**
 * The node cannot start because of its environment, such as a full disk: nothing is wrong with its
 * configuration, and a later start may succeed.
 */
public final class EnvironmentException extends StartupException {
  private static final long serialVersionUID = 1L;

  public EnvironmentException(String message, Throwable cause) {
    super(message, cause);
  }
}
