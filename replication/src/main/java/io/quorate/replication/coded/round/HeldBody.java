package io.quorate.replication.coded.round;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReplication;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What one node holds of a body. It is stored as {@code form(u8) index(u8) content}.
 *
 * @param index of the fragment; 0 for a complete copy
 * @param content the bytes between position and limit; they are not copied
 */
public record HeldBody(Form form, int index, ByteBuffer content) {
  /** The length of what precedes the content. */
  public static final int PREFIX_BYTES = 2;

  public HeldBody {
    content = content.slice();
  }

  public static HeldBody complete(ByteBuffer content) {
    return new HeldBody(Form.COMPLETE, 0, content);
  }

  /** The content, with a position and a limit of its own. */
  @Override
  public ByteBuffer content() {
    return content.duplicate();
  }

  public int length() {
    return content.remaining();
  }

  /** The stored form of a content in parts, which are not copied. */
  public static List<ByteBuffer> stored(Form form, int index, List<ByteBuffer> content) {
    List<ByteBuffer> parts = new ArrayList<>(1 + content.size());
    parts.add(ByteBuffer.allocate(PREFIX_BYTES).put(code(form)).put((byte) index).flip());
    parts.addAll(content);
    return parts;
  }

  /**
   * @throws DecodeException if the bytes are no stored form
   */
  public static HeldBody of(ByteBuffer stored) {
    if (stored.remaining() < PREFIX_BYTES) {
      throw new DecodeException("A stored body is incomplete.");
    }
    ByteBuffer from = stored.slice();
    return new HeldBody(form(from.get()), Byte.toUnsignedInt(from.get()), from);
  }

  /**
   * What is held, by the length of its stored form. With one data fragment, each fragment is as
   * long as the body, and restores it as a copy does.
   *
   * @param valueBytes the length of the body
   */
  public static BodyReplication.Part part(int storedBytes, int valueBytes) {
    int bytes = storedBytes - PREFIX_BYTES;
    return new BodyReplication.Part(
        bytes < valueBytes ? BodyReplication.Form.FRAGMENT : BodyReplication.Form.COMPLETE, bytes);
  }

  static byte code(Form form) {
    return switch (form) {
      case FRAGMENT -> 1;
      case COMPLETE -> 2;
    };
  }

  /**
   * @throws DecodeException if no form has this code
   */
  static Form form(byte code) {
    return switch (code) {
      case 1 -> Form.FRAGMENT;
      case 2 -> Form.COMPLETE;
      default -> throw new DecodeException("A body has no form " + code + ".");
    };
  }
}
