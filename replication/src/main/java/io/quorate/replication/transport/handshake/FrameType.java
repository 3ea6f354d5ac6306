package io.quorate.replication.transport.handshake;

import java.util.Optional;

/** The type of a frame; the code is its first byte after the length. */
public enum FrameType {
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

  public int code() {
    return code;
  }

  public static Optional<FrameType> of(int code) {
    return code >= 1 && code <= ALL.length ? Optional.of(ALL[code - 1]) : Optional.empty();
  }
}
