package io.quorate.client.wire;

/**
 * The first four bytes a client sends: {@code 'Q' 'R' 'T'} and the protocol version. A server that
 * reads anything else answers with a {@link Status#INCOMPATIBLE} frame of correlation 0 and closes.
 */
public final class Preamble {
  public static final int BYTES = 4;
  public static final int VERSION = 2;

  private static final int MAGIC = ('Q' << 24) | ('R' << 16) | ('T' << 8);

  private Preamble() {}

  /** The preamble as a big-endian integer. */
  public static int current() {
    return MAGIC | VERSION;
  }

  /** Whether the four bytes are a Quorate preamble, of any version. */
  public static boolean isQuorate(int preamble) {
    return (preamble & 0xffffff00) == MAGIC;
  }

  public static int version(int preamble) {
    return preamble & 0xff;
  }
}
