package io.quorate.server.verification.history;

/** Text is not a history; the message names the line and what is wrong with it. */
public final class MalformedHistoryException extends RuntimeException {
  MalformedHistoryException(String message) {
    super(message);
  }
}
