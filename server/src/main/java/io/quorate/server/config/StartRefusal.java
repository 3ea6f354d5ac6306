package io.quorate.server.config;

/**
 * Why this node does not start: something the operator can put right. The message is one sentence
 * that names the key, the limit or the file; it is meant to be shown without a stack trace.
 */
public class StartRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StartRefusal(String message) {
    super(message);
  }

  public StartRefusal(String message, Throwable cause) {
    super(message, cause);
  }
}
