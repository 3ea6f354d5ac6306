package io.quorate.protocol.wire;

import io.quorate.protocol.frame.ClientGreeting;

/**
 * The first four bytes that a client sends: {@code 'Q' 'R' 'T'} and the protocol version. A server
 * that receives anything else responds with {@link Status#INCOMPATIBLE} in a frame without checks
 * ({@link Frames#refusal}) and closes the connection.
 */
public final class Preamble {
  public static final int BYTES = ClientGreeting.BYTES;
  public static final int VERSION = 4;

  private Preamble() {}

  /** Returns the preamble as a big-endian integer. */
  public static int current() {
    return ClientGreeting.of(VERSION);
  }

  /** Returns whether the four bytes are a Quorate preamble of any version. */
  public static boolean isQuorate(int preamble) {
    return ClientGreeting.isBegunBy(preamble);
  }

  public static int version(int preamble) {
    return preamble & 0xff;
  }
}
