package io.quorate.transport;

import java.util.Optional;

/** The type of a frame; the code is its first byte after the length. */
enum FrameType {
  HELLO(1),
  WELCOME(2),
  REFUSED(3),
  MESSAGE(4),
  KEEP_ALIVE(5),
  REQUEST(6),
  RESPONSE(7),
  FAILURE(8),
  STARTS(9);

  private static final FrameType[] ALL = values();

  private final int code;

  FrameType(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static Optional<FrameType> of(int code) {
    return code >= 1 && code <= ALL.length ? Optional.of(ALL[code - 1]) : Optional.empty();
  }
}
