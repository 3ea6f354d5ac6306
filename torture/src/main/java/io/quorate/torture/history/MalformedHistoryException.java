package io.quorate.torture.history;

/** A text is not a history; the message names the line and the error. */
public final class MalformedHistoryException extends RuntimeException {
  MalformedHistoryException(String message) {
    super(message);
  }
}
