package io.quorate.benchmarks.peers.contender;

/** A contender cannot be had on this machine. The message is a sentence with the reason. */
public final class UnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  public UnavailableException(String message) {
    super(message);
  }

  public UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
