package io.quorate.ratis.quorum;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What replicas ask each other about reads.
 *
 * <pre>
 * question := mark(i32) version(u8) kind(u8) body        kind = 1 shares | 2 read index
 * answer   := version(u8) given(u8) load(i32) body       body = why (UTF-8), where nothing is given
 * </pre>
 */
final class PeerMessage {
  static final byte SHARES = 1;
  static final byte READ_INDEX = 2;

  /** No other message that a replica gets begins like this. */
  private static final int MARK = 0x51_55_4f_52;

  private static final byte VERSION = 1;

  private PeerMessage() {}

  record Question(byte kind, ByteBuffer body) {}

  /**
   * @param load how many requests the replica had without an answer
   * @param given what was asked for; empty where it cannot be given now
   * @param why where nothing is given
   */
  record Answer(int load, Optional<ByteBuffer> given, String why) {}

  static ByteBuffer question(byte kind, ByteBuffer body) {
    return ByteBuffer.allocate(Integer.BYTES + 2 + body.remaining())
        .putInt(MARK)
        .put(VERSION)
        .put(kind)
        .put(body.duplicate())
        .flip();
  }

  static boolean isQuestion(ByteBuffer bytes) {
    return bytes.remaining() >= Integer.BYTES && bytes.getInt(bytes.position()) == MARK;
  }

  /**
   * @throws IOException if it is of a version that this one does not speak
   */
  static Question readQuestion(ByteBuffer from) throws IOException {
    try {
      from.getInt();
      requireVersion(from.get());
      return new Question(from.get(), from.slice());
    } catch (BufferUnderflowException e) {
      throw new IOException("A question about a read ends early.", e);
    }
  }

  static ByteBuffer answer(int load, ByteBuffer body) {
    return answer((byte) 1, load, body);
  }

  static ByteBuffer refusal(int load, String why) {
    return answer((byte) 0, load, ByteBuffer.wrap(why.getBytes(StandardCharsets.UTF_8)));
  }

  private static ByteBuffer answer(byte given, int load, ByteBuffer body) {
    return ByteBuffer.allocate(2 + Integer.BYTES + body.remaining())
        .put(VERSION)
        .put(given)
        .putInt(load)
        .put(body.duplicate())
        .flip();
  }

  /**
   * @throws IOException if it cannot be read
   */
  static Answer readAnswer(ByteBuffer from) throws IOException {
    try {
      requireVersion(from.get());
      boolean isGiven = from.get() != 0;
      int load = from.getInt();
      return isGiven
          ? new Answer(load, Optional.of(from.slice()), "")
          : new Answer(load, Optional.empty(), StandardCharsets.UTF_8.decode(from).toString());
    } catch (BufferUnderflowException e) {
      throw new IOException("An answer about a read ends early.", e);
    }
  }

  private static void requireVersion(byte version) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "Another node speaks version "
              + version
              + " of questions about reads, and this one version "
              + VERSION
              + "; run the same release on all nodes.");
    }
  }
}
