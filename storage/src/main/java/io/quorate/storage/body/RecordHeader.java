package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The header of a record in a segment, before its content.
 *
 * <pre>
 * header := kind(u8) length(i32) group(i32) term(i64) number(i64) contentChecksum(i32)
 *           headerChecksum(i32)
 * </pre>
 *
 * <p>The checksum of the header includes its place, so that bytes of another segment or of an
 * earlier use of the same disk blocks are not a header.
 *
 * @param length the length of the content in bytes
 * @param contentChecksum CRC32C of the content
 */
record RecordHeader(Kind kind, BodyId body, int length, int contentChecksum) {
  static final int BYTES = 1 + 4 * Integer.BYTES + 2 * Long.BYTES;

  private static final int CHECKED_BYTES = BYTES - Integer.BYTES;

  /** What a record does to the index. */
  enum Kind {
    /** Adds a body, or replaces it. */
    BODY,
    /** Removes a body; has no content. */
    REMOVAL,
    /** Adds a body whose content is that of another record. Has that record's place as content. */
    LINK
  }

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

  ByteBuffer encode(Place place) {
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    header.put((byte) kind.ordinal()).putInt(length);
    header.putInt(body.group().value()).putLong(body.epoch()).putLong(body.number());
    header.putInt(contentChecksum);
    return header.putInt(checksum(header.duplicate().flip(), place)).flip();
  }

  /** The header in the next bytes; empty if they are none of this place. */
  static Optional<RecordHeader> decode(ByteBuffer from, Place place) {
    ByteBuffer checked = from.slice(from.position(), CHECKED_BYTES);
    if (from.getInt(from.position() + CHECKED_BYTES) != checksum(checked.duplicate(), place)) {
      return Optional.empty();
    }
    Kind kind = Kind.values()[checked.get()];
    int length = checked.getInt();
    BodyId body = new BodyId(new GroupId(checked.getInt()), checked.getLong(), checked.getLong());
    return Optional.of(new RecordHeader(kind, body, length, checked.getInt()));
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
    return BYTES + (long) length;
  }
}
