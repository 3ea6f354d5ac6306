package io.quorate.benchmarks.ycsb;

import io.quorate.common.DecodeException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Packs the fields of a record into one value.
 *
 * <pre>
 * record := count(varint) field*
 * field  := name length(varint) bytes
 * name   := n * 2(varint)                 for "field" followed by the number n, without leading zeros
 *         | length * 2 + 1(varint) bytes  for any other name, in UTF-8
 * </pre>
 *
 * <p>A varint has seven bits a byte, the lowest first; the highest bit is set in all bytes but the
 * last. A record of YCSB's ten fields of 100 bytes takes 1,021 bytes.
 */
final class RecordCodec {
  /** The prefix of YCSB's names of fields, unless {@code fieldnameprefix} sets another. */
  private static final String NUMBERED = "field";

  private static final int NUMBER_DIGITS_MAX = 9;
  private static final int VARINT_BITS_MAX = 31;

  private RecordCodec() {}

  /** Packs the fields in the order of the map. Does not move the buffers. */
  static byte[] encode(Map<String, ByteBuffer> fields) {
    ByteArrayOutputStream record = new ByteArrayOutputStream(sizeEstimate(fields));
    putVarint(record, fields.size());
    fields.forEach(
        (name, value) -> {
          putName(record, name);
          putVarint(record, value.remaining());
          record.write(value.array(), value.arrayOffset() + value.position(), value.remaining());
        });
    return record.toByteArray();
  }

  private static int sizeEstimate(Map<String, ByteBuffer> fields) {
    int size = Integer.BYTES;
    for (ByteBuffer value : fields.values()) {
      size += 2 * Integer.BYTES + value.remaining();
    }
    return size;
  }

  /**
   * Unpacks all fields.
   *
   * @return views of the array, in the order of the record; may be modified
   * @throws DecodeException if the bytes are not a record
   */
  static Map<String, ByteBuffer> decode(byte[] record) {
    return decode(record, name -> true);
  }

  /** Unpacks the fields whose names are selected. */
  static Map<String, ByteBuffer> decode(byte[] record, Predicate<String> isSelected) {
    ByteBuffer rest = ByteBuffer.wrap(record);
    int count = varint(rest);
    Map<String, ByteBuffer> fields = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String name = name(rest);
      ByteBuffer value = bytes(rest, varint(rest));
      if (isSelected.test(name)) {
        fields.put(name, value);
      }
    }
    if (rest.hasRemaining()) {
      throw new DecodeException("A record has " + rest.remaining() + " bytes after its end.");
    }
    return fields;
  }

  private static void putName(ByteArrayOutputStream record, String name) {
    int number = number(name);
    if (number >= 0) {
      putVarint(record, number << 1);
    } else {
      byte[] text = name.getBytes(StandardCharsets.UTF_8);
      putVarint(record, text.length << 1 | 1);
      record.writeBytes(text);
    }
  }

  private static String name(ByteBuffer rest) {
    int code = varint(rest);
    if ((code & 1) == 0) {
      return NUMBERED + (code >>> 1);
    }
    return StandardCharsets.UTF_8.decode(bytes(rest, code >>> 1)).toString();
  }

  /** The number of a numbered name; -1 for any other name. */
  private static int number(String name) {
    int digits = name.length() - NUMBERED.length();
    if (digits < 1 || digits > NUMBER_DIGITS_MAX || !name.startsWith(NUMBERED)) {
      return -1;
    }
    if (digits > 1 && name.charAt(NUMBERED.length()) == '0') {
      return -1;
    }
    int number = 0;
    for (int i = NUMBERED.length(); i < name.length(); i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private static ByteBuffer bytes(ByteBuffer rest, int length) {
    if (length > rest.remaining()) {
      throw new DecodeException("A record ends within a field.");
    }
    ByteBuffer bytes = rest.slice(rest.position(), length);
    rest.position(rest.position() + length);
    return bytes;
  }

  private static void putVarint(ByteArrayOutputStream record, int value) {
    int left = value;
    while (left > 0x7f) {
      record.write(left & 0x7f | 0x80);
      left >>>= 7;
    }
    record.write(left);
  }

  /** Reads a number of at most 31 bits. */
  private static int varint(ByteBuffer rest) {
    long value = 0;
    for (int shift = 0; shift < VARINT_BITS_MAX; shift += 7) {
      if (!rest.hasRemaining()) {
        throw new DecodeException("A record ends within a number.");
      }
      byte next = rest.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        if (value > Integer.MAX_VALUE) {
          break;
        }
        return (int) value;
      }
    }
    throw new DecodeException("A number in a record is too large.");
  }
}
