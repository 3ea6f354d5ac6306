package io.quorate.replication.erasure;

import java.io.IOException;

/**
 * Fragments match their checksums, and what was decoded from them does not match its own. Either
 * the header is wrong, or memory or code is faulty. The decoded bytes are not delivered.
 */
public final class CorruptValueException extends IOException {
  private static final long serialVersionUID = 1L;

  CorruptValueException(String message) {
    super(message);
  }
}
