package io.quorate.replication.coded.round;

import io.quorate.common.DecodeException;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The requests and responses that carry bodies. Integers are big-endian; content is never copied by
 * a decoder:
 *
 * <pre>
 * store    := epoch(i64) number(i64) form(u8) index(u8) length(i32) checksum(i32) offset(i32) bytes
 * stored   := 0(u8) until the last chunk, then form(u8)
 * fetch    := epoch(i64) number(i64) offset(i32) length(i32)
 * fetched  := 0(u8) if nothing is held, otherwise form(u8) index(u8) length(i32) bytes
 * </pre>
 */
public final class BodyMessages {
  private static final byte NOTHING = 0;

  private BodyMessages() {}

  /**
   * A part of a body to store. The parts of one body are sent in order.
   *
   * @param length the length of the whole content in bytes
   * @param checksum the CRC-32C of the whole content
   * @param offset where the bytes begin in the content
   */
  public record StoreChunk(
      long epoch,
      long number,
      Form form,
      int index,
      int length,
      int checksum,
      int offset,
      ByteBuffer bytes) {
    private static final int HEADER_BYTES = 2 * Long.BYTES + 2 + 3 * Integer.BYTES;

    /** In parts, the last of which are the bytes themselves, without a copy. */
    public List<ByteBuffer> encode() {
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
      header.putLong(epoch).putLong(number).put(HeldBody.code(form)).put((byte) index);
      header.putInt(length).putInt(checksum).putInt(offset);
      return List.of(header.flip(), bytes);
    }

    /**
     * @throws DecodeException if the chunk is malformed, or not within the content
     */
    public static StoreChunk decode(ByteBuffer encoded) {
      return read(encoded, StoreChunk::readFrom);
    }

    private static StoreChunk readFrom(ByteBuffer from) {
      StoreChunk chunk =
          new StoreChunk(
              from.getLong(),
              from.getLong(),
              HeldBody.form(from.get()),
              Byte.toUnsignedInt(from.get()),
              from.getInt(),
              from.getInt(),
              from.getInt(),
              from.slice());
      int bytes = chunk.bytes().remaining();
      boolean isWithin =
          chunk.offset() >= 0
              && chunk.offset() <= chunk.length()
              && bytes <= chunk.length() - chunk.offset();
      // A chunk without progress would occupy memory that no bound counts.
      if (!isWithin || bytes == 0 && chunk.length() > 0) {
        throw new DecodeException(
            String.format(
                Locale.ROOT,
                "A chunk of %d bytes at %d is not a part of a body of %d bytes.",
                bytes,
                chunk.offset(),
                chunk.length()));
      }
      return chunk;
    }
  }

  /** The response to a chunk: what is durable, after the last one. */
  public static ByteBuffer stored(Optional<Form> durable) {
    return ByteBuffer.allocate(1).put(durable.map(HeldBody::code).orElse(NOTHING)).flip();
  }

  /**
   * @throws DecodeException if the response is malformed
   */
  public static Optional<Form> readStored(ByteBuffer response) {
    return read(
        response,
        from -> {
          byte code = from.get();
          return code == NOTHING ? Optional.empty() : Optional.of(HeldBody.form(code));
        });
  }

  /** Requests a part of what the receiver holds of a body. */
  public record Fetch(long epoch, long number, int offset, int length) {
    /** So that the position in what is stored, behind the prefix, does not overflow. */
    private static final int OFFSET_MAX = Integer.MAX_VALUE - HeldBody.PREFIX_BYTES;

    public ByteBuffer encode() {
      ByteBuffer to = ByteBuffer.allocate(2 * Long.BYTES + 2 * Integer.BYTES);
      return to.putLong(epoch).putLong(number).putInt(offset).putInt(length).flip();
    }

    /**
     * @throws DecodeException if the request is malformed
     */
    public static Fetch decode(ByteBuffer encoded) {
      return read(encoded, Fetch::readFrom);
    }

    private static Fetch readFrom(ByteBuffer from) {
      Fetch part = new Fetch(from.getLong(), from.getLong(), from.getInt(), from.getInt());
      if (part.offset() < 0 || part.offset() > OFFSET_MAX || part.length() < 0) {
        throw new DecodeException(
            String.format(
                Locale.ROOT,
                "No body has a part of %d bytes at %d.",
                part.length(),
                part.offset()));
      }
      return part;
    }
  }

  /**
   * A part of what a node holds.
   *
   * @param length the length of the whole content in bytes
   */
  public record Fetched(Form form, int index, int length, ByteBuffer bytes) {
    private static final int HEADER_BYTES = 2 + Integer.BYTES;
  }

  /** The response to a fetch. */
  public static ByteBuffer fetched(Optional<Fetched> part) {
    if (part.isEmpty()) {
      return ByteBuffer.allocate(1).put(NOTHING).flip();
    }
    Fetched held = part.get();
    ByteBuffer to = ByteBuffer.allocate(Fetched.HEADER_BYTES + held.bytes().remaining());
    to.put(HeldBody.code(held.form())).put((byte) held.index()).putInt(held.length());
    return to.put(held.bytes().duplicate()).flip();
  }

  /**
   * @throws DecodeException if the response is malformed
   */
  public static Optional<Fetched> readFetched(ByteBuffer response) {
    return read(
        response,
        from -> {
          byte code = from.get();
          return code == NOTHING
              ? Optional.empty()
              : Optional.of(
                  new Fetched(
                      HeldBody.form(code),
                      Byte.toUnsignedInt(from.get()),
                      from.getInt(),
                      from.slice()));
        });
  }

  private static <T> T read(ByteBuffer encoded, Function<ByteBuffer, T> decoder) {
    try {
      return decoder.apply(encoded.duplicate());
    } catch (BufferUnderflowException e) {
      throw new DecodeException("A message about a body ends early.");
    }
  }
}
