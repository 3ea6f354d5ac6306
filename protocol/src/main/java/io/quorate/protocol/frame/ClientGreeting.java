package io.quorate.protocol.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/**
 * The first bytes of a client, for ports of other protocols, which refuse it in a form that clients
 * of every version read: an operator has named a port of a node that is not for clients.
 *
 * <pre>
 * greeting  'Q' 'R' 'T' · version:1
 * refusal   length:4 · 0:8 · {@link #INCOMPATIBLE}:1 · a message whose first field is the sentence
 * </pre>
 */
public final class ClientGreeting {
  public static final int BYTES = Integer.BYTES;

  /** The code of the status of a refusal. */
  public static final int INCOMPATIBLE = 7;

  private static final int MAGIC = ('Q' << 24) | ('R' << 16) | ('T' << 8);

  /** The first field, whose type has a length. */
  private static final int SENTENCE_TAG = 1 << 3 | 2;

  private static final int LOW_BITS = 0x7f;

  private ClientGreeting() {}

  /** Returns whether these are the first bytes of a client of any version. */
  public static boolean isBegunBy(int firstBytes) {
    return (firstBytes & 0xffffff00) == MAGIC;
  }

  /** Returns the first bytes of a client of this version, 0 to 255. */
  public static int of(int version) {
    return MAGIC | version;
  }

  /** Returns the refusal of a client, in a new buffer. */
  public static ByteBuf refusal(ByteBufAllocator allocator, String sentence) {
    byte[] text = sentence.getBytes(StandardCharsets.UTF_8);
    ByteBuf refusal = allocator.ioBuffer().writeInt(0).writeLong(0).writeByte(INCOMPATIBLE);
    refusal.writeByte(SENTENCE_TAG);
    int length = text.length;
    while (length > LOW_BITS) {
      refusal.writeByte(length & LOW_BITS | LOW_BITS + 1);
      length >>>= 7;
    }
    refusal.writeByte(length).writeBytes(text);
    return refusal.setInt(refusal.readerIndex(), refusal.readableBytes() - Integer.BYTES);
  }
}
