package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What describes a record in a segment. It is written twice, before and behind the content, so that
 * a record is found from either side and damage of one of them loses nothing.
 *
 * <pre>
 * record  := header content trailer
 * header  := magic(i32) kind(u8) length(i32) group(i32) term(i64) number(i64) contentChecksum(i32)
 *            durable(i64) checksum(i32)
 * trailer := as the header, with another magic
 * </pre>
 *
 * <p>The checksum includes the place of the record, so that bytes of another segment or of an
 * earlier use of the same disk blocks are not a header.
 *
 * @param length the length of the content in bytes
 * @param contentChecksum CRC32C of the content
 */
record RecordHeader(Kind kind, BodyId body, int length, int contentChecksum) {
  static final int BYTES = 1 + 5 * Integer.BYTES + 3 * Long.BYTES;

  /** What a record has beside its content. */
  static final int OVERHEAD_BYTES = 2 * BYTES;

  private static final int CHECKED_BYTES = BYTES - Integer.BYTES;

  /** A record of the store itself is of no body. */
  private static final BodyId NO_BODY = new BodyId(new GroupId(0), 0, 0);

  /** On which side of the content. */
  enum Side {
    HEADER(0x51424831),
    TRAILER(0x51425431);

    final int magic;

    Side(int magic) {
      this.magic = magic;
    }
  }

  /** What a record does to the index. */
  enum Kind {
    /** Adds a body, or replaces it. */
    BODY,
    /** Removes a body; has no content. */
    REMOVAL,
    /** Adds a body whose content is that of another record. Has that record's place as content. */
    LINK,
    /** States that all records before it are durable; has no content and no body. */
    MARK,
    /** The last record of a segment that does not grow any more; has no content and no body. */
    END
  }

  /**
   * A header that was read.
   *
   * @param durable the length of the part of the segment that was durable when the record was
   *     written
   */
  record Found(RecordHeader header, long durable) {}

  static RecordHeader body(BodyId body, List<ByteBuffer> content) {
    return of(Kind.BODY, body, content);
  }

  /**
   * @param content the place of the record with the content of the body
   */
  static RecordHeader link(BodyId body, List<ByteBuffer> content) {
    return of(Kind.LINK, body, content);
  }

  private static RecordHeader of(Kind kind, BodyId body, List<ByteBuffer> content) {
    CRC32C checksum = new CRC32C();
    int length = 0;
    for (ByteBuffer part : content) {
      length = Math.addExact(length, part.remaining());
      checksum.update(part.duplicate());
    }
    return new RecordHeader(kind, body, length, (int) checksum.getValue());
  }

  /** The header of the same content for another body. */
  RecordHeader of(BodyId other) {
    return new RecordHeader(kind, other, length, contentChecksum);
  }

  static RecordHeader removal(BodyId body) {
    return new RecordHeader(Kind.REMOVAL, body, 0, 0);
  }

  static RecordHeader mark() {
    return new RecordHeader(Kind.MARK, NO_BODY, 0, 0);
  }

  static RecordHeader end() {
    return new RecordHeader(Kind.END, NO_BODY, 0, 0);
  }

  ByteBuffer encode(Side side, Place place, long durable) {
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    header.putInt(side.magic).put((byte) kind.ordinal()).putInt(length);
    header.putInt(body.group().value()).putLong(body.epoch()).putLong(body.number());
    header.putInt(contentChecksum).putLong(durable);
    return header.putInt(checksum(header.duplicate().flip(), place)).flip();
  }

  /** The header of a record at this place, in the next bytes; empty if they are none. */
  static Optional<Found> decode(ByteBuffer from, Place place) {
    return decode(Side.HEADER, from).filter(found -> isOf(place, from));
  }

  /**
   * The trailer of a record that ends at an offset, in the next bytes; empty if they are none.
   *
   * @param segment its number
   */
  static Optional<Found> decodeTrailer(ByteBuffer from, long segment, long end) {
    return decode(Side.TRAILER, from)
        .filter(found -> isOf(new Place(segment, end - found.header().recordBytes()), from));
  }

  private static boolean isOf(Place place, ByteBuffer from) {
    int at = from.position();
    return from.getInt(at + CHECKED_BYTES) == checksum(from.slice(at, CHECKED_BYTES), place);
  }

  private static Optional<Found> decode(Side side, ByteBuffer from) {
    ByteBuffer bytes = from.slice(from.position(), CHECKED_BYTES);
    if (bytes.getInt() != side.magic) {
      return Optional.empty();
    }
    int kind = bytes.get();
    int length = bytes.getInt();
    int group = bytes.getInt();
    if (kind < 0 || kind >= Kind.values().length || length < 0 || group < 0) {
      return Optional.empty();
    }
    BodyId body = new BodyId(new GroupId(group), bytes.getLong(), bytes.getLong());
    RecordHeader header = new RecordHeader(Kind.values()[kind], body, length, bytes.getInt());
    return Optional.of(new Found(header, bytes.getLong()));
  }

  private static int checksum(ByteBuffer header, Place place) {
    CRC32C checksum = new CRC32C();
    checksum.update(header);
    checksum.update(place.encode());
    return (int) checksum.getValue();
  }

  boolean matches(ByteBuffer content) {
    CRC32C checksum = new CRC32C();
    checksum.update(content.duplicate());
    return content.remaining() == length && (int) checksum.getValue() == contentChecksum;
  }

  /** The length of the whole record. */
  long recordBytes() {
    return OVERHEAD_BYTES + (long) length;
  }
}
