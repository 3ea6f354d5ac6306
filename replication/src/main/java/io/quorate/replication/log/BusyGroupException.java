package io.quorate.replication.log;

import java.io.IOException;

/**
 * A group has as many records that are not durable, or as many live bytes, as it may have now. The
 * record was not appended; {@link GroupLogEvents#room} reports when to try again.
 */
public final class BusyGroupException extends IOException {
  private static final long serialVersionUID = 1L;

  BusyGroupException(String message) {
    super(message);
  }

  /** It is thrown for each refused record, and says where by its message. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
