package io.quorate.storage.rocks;

import io.quorate.common.Checksums;
import io.quorate.common.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks the list of a database's files, {@code MANIFEST-*}, before RocksDB opens it. RocksDB
 * 11.8.1 does not end to read one of whose records a bit of the type was changed, and takes a
 * record with a changed length for an interrupted write, with which all records after it are
 * dropped: the database would open with former files. Blocks.
 *
 * <p>The file consists of blocks, and a block of records, with zeros at its end where no record
 * fits: a masked CRC-32C of type and content, the length, the type, the content.
 */
final class ManifestCheck {
  private static final int BLOCK_BYTES = 32 << 10;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int HEADER_BYTES = CHECKSUM_BYTES + Short.BYTES + 1;
  private static final int CHECKSUM_MASK = 0xa282ead8;

  /** A whole record, or its first part, one in the middle, the last; other types are of logs. */
  private static final int TYPE_MAX = 4;

  /** The content of {@code CURRENT}. */
  private static final Pattern MANIFEST = Pattern.compile("MANIFEST-\\d+\n");

  /** The first list alone is what an interrupted creation leaves. */
  private static final Pattern OF_DATABASE =
      Pattern.compile("MANIFEST-(?!000001$).*|.*\\.(sst|blob)");

  private ManifestCheck() {}

  /**
   * Checks the list of the files in a directory. Has no effect if there is no database.
   *
   * @throws IOException if it cannot be read, or is not as it was written; an end that may be the
   *     result of an interrupted write is not damage
   */
  static void check(Path directory) throws IOException {
    Path current = directory.resolve("CURRENT");
    if (!Files.exists(current)) {
      requireNoFiles(directory, current);
      return;
    }
    Path manifest = directory.resolve(nameIn(current));
    if (!Files.exists(manifest)) {
      throw damaged(manifest, "it is missing");
    }
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(manifest, StandardOpenOption.READ)) {
      for (long at = 0; at < channel.size(); at += BLOCK_BYTES) {
        block.clear();
        while (block.hasRemaining() && channel.read(block, at + block.position()) >= 0) {
          continue;
        }
        boolean isLast = at + BLOCK_BYTES >= channel.size();
        int bad = firstDamaged(block.flip(), isLast);
        if (bad >= 0) {
          throw damaged(manifest, "its record at byte " + (at + bad));
        }
      }
    }
  }

  /** Without the name of the list RocksDB would begin an empty database, and delete the files. */
  private static void requireNoFiles(Path directory, Path current) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      if (files.anyMatch(file -> OF_DATABASE.matcher(file.getFileName().toString()).matches())) {
        throw damaged(current, "it is missing");
      }
    }
  }

  private static String nameIn(Path current) throws IOException {
    String text;
    try {
      text = Files.readString(current, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw damaged(current, FileErrors.describe(e));
    }
    if (!MANIFEST.matcher(text).matches()) {
      throw damaged(current, "it names no list");
    }
    return text.strip();
  }

  private static IOException damaged(Path file, String detail) {
    return new IOException(
        "The file "
            + file
            + ", by which the files of the database are found, is missing or damaged ("
            + detail
            + "): "
            + FileErrors.REMEDY);
  }

  /** Where a record begins that is damaged; negative if all are intact. */
  private static int firstDamaged(ByteBuffer block, boolean isLast) {
    int at = 0;
    while (block.limit() - at >= HEADER_BYTES) {
      if (isIntact(block, at)) {
        at = end(block, at);
      } else {
        return isLast && isInterruptedWrite(block, at) ? -1 : at;
      }
    }
    return -1;
  }

  /** What is written last has no record after it, and either no end or nothing but zeros. */
  private static boolean isInterruptedWrite(ByteBuffer block, int begin) {
    for (int at = begin + 1; block.limit() - at >= HEADER_BYTES; at++) {
      if (isIntact(block, at)) {
        return false;
      }
    }
    return end(block, begin) > block.limit() || isZero(block, begin);
  }

  private static boolean isZero(ByteBuffer block, int begin) {
    for (int at = begin; at < block.limit(); at++) {
      if (block.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  private static int end(ByteBuffer block, int at) {
    return at + HEADER_BYTES + Short.toUnsignedInt(block.getShort(at + CHECKSUM_BYTES));
  }

  private static boolean isIntact(ByteBuffer block, int at) {
    int type = block.get(at + HEADER_BYTES - 1);
    int end = end(block, at);
    if (type < 1 || type > TYPE_MAX || end > block.limit()) {
      return false;
    }
    int begin = at + HEADER_BYTES - 1;
    return block.getInt(at) == masked(Checksums.of(block.slice(begin, end - begin)));
  }

  /** As RocksDB stores a CRC-32C. */
  static int masked(int checksum) {
    return Integer.rotateRight(checksum, 15) + CHECKSUM_MASK;
  }
}
