package io.quorate.server.config;

/** The configuration is invalid. The message is one sentence that names the key. */
public final class ConfigException extends StartupException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
