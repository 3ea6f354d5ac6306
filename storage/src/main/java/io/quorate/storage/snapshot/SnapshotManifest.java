package io.quorate.storage.snapshot;

import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.command.RegionShape;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The contents of an exported snapshot. Integers are big-endian.
 *
 * <pre>
 * manifest := magic(4 bytes "QSNP") version(u16) region(i32) epoch(i64) index(i64)
 *             range-or-shape count(i32) table* checksum(i32, CRC32C of all before)
 * table    := content(u8) length(i32) name bytes(i64) checksum(i32, CRC32C of the file)
 * </pre>
 *
 * <p>Version 1 has the range of the region in the encoding of {@link KeyRange}: the region has not
 * been split, and has not begun by a split. A snapshot of such a region is exported in version 1,
 * which nodes of a former version can install. Later versions have the {@link RegionShape}, each in
 * another of its encodings.
 *
 * @param region the exported region
 * @param position the position of the exported state
 * @param shape the shape of the region in the exported state
 * @param tables the files; each is sorted, and files with the same content are in key order
 */
record SnapshotManifest(GroupId region, Position position, RegionShape shape, List<Table> tables) {
  static final String FILE_NAME = "MANIFEST";

  private static final int MAGIC = 0x51534e50;
  private static final short INITIAL_VERSION = 1;
  private static final short SHAPE_VERSION = 2;
  private static final short LAST_VERSION =
      (short) (SHAPE_VERSION + RegionShape.Encoding.values().length - 1);
  private static final long BYTES_MAX = 64 << 20;
  private static final Pattern TABLE_NAME = Pattern.compile("[a-z]{1,16}-[0-9]{6,10}\\.sst");

  /** Kind of the rows in a table. */
  enum Content {
    ROWS,
    SESSIONS
  }

  /** One table file; the name is without directory. */
  record Table(Content content, String name, long bytes, int checksum) {}

  SnapshotManifest {
    tables = List.copyOf(tables);
  }

  /** The files with one content, in key order. */
  List<Path> files(Path directory, Content content) {
    return tables.stream()
        .filter(table -> table.content() == content)
        .map(table -> directory.resolve(table.name()))
        .toList();
  }

  /** Writes and syncs the manifest; the caller syncs the directory. */
  void write(Path directory) throws IOException {
    DurableFiles.write(directory.resolve(FILE_NAME), encoded());
  }

  private ByteBuffer encoded() {
    int size = 128 + shape.encodedBytes();
    for (Table table : tables) {
      size += 32 + table.name().length();
    }
    ByteBuffer to = ByteBuffer.allocate(size);
    short version = version();
    to.putInt(MAGIC).putShort(version).putInt(region.value());
    position.write(to);
    if (version == INITIAL_VERSION) {
      shape.range().write(to);
    } else {
      shape.write(to);
    }
    to.putInt(tables.size());
    for (Table table : tables) {
      to.put((byte) table.content().ordinal());
      putBytes(to, table.name().getBytes(StandardCharsets.US_ASCII));
      to.putLong(table.bytes()).putInt(table.checksum());
    }
    to.putInt(checksum(to.duplicate().flip()));
    return to.flip();
  }

  private short version() {
    if (shape.isInitial(region)) {
      return INITIAL_VERSION;
    }
    return (short) (SHAPE_VERSION + shape.encoding().ordinal());
  }

  /**
   * Reads the manifest of an exported snapshot.
   *
   * @throws IOException if it is missing, damaged or malformed
   */
  static SnapshotManifest read(Path directory) throws IOException {
    Path file = directory.resolve(FILE_NAME);
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString(), null, "The snapshot has no manifest.");
    }
    if (Files.size(file) > BYTES_MAX) {
      throw new IOException(
          "The manifest " + file + " of a snapshot is longer than " + BYTES_MAX + " bytes.");
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    int content = bytes.limit() - Integer.BYTES;
    if (content < 0 || checksum(bytes.slice(0, content)) != bytes.getInt(content)) {
      throw new IOException("The manifest " + file + " of a snapshot does not match its checksum.");
    }
    try {
      return decode(bytes.limit(content));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new IOException("The manifest " + file + " is malformed.", e);
    }
  }

  private static SnapshotManifest decode(ByteBuffer from) throws IOException {
    if (from.getInt() != MAGIC) {
      throw new IllegalArgumentException("Not a manifest");
    }
    short version = from.getShort();
    if (version < INITIAL_VERSION || version > LAST_VERSION) {
      throw new IOException(
          "The snapshot has format "
              + version
              + ", this program reads formats "
              + INITIAL_VERSION
              + " to "
              + LAST_VERSION
              + ".");
    }
    GroupId region = new GroupId(from.getInt());
    Position position = Position.read(from);
    RegionShape shape =
        version == INITIAL_VERSION
            ? RegionShape.initial(region, KeyRange.read(from))
            : RegionShape.read(from, RegionShape.Encoding.values()[version - SHAPE_VERSION]);
    List<Table> tables = new ArrayList<>();
    for (int left = from.getInt(); left > 0; left--) {
      tables.add(decodeTable(from));
    }
    return new SnapshotManifest(region, position, shape, tables);
  }

  private static Table decodeTable(ByteBuffer from) {
    int content = from.get();
    byte[] name = getBytes(from);
    Table table =
        new Table(
            content == 0 ? Content.ROWS : Content.SESSIONS,
            new String(name, StandardCharsets.US_ASCII),
            from.getLong(),
            from.getInt());
    if (!TABLE_NAME.matcher(table.name()).matches()) {
      // The name came from another node and must not be a path out of the directory.
      throw new IllegalArgumentException("Not a table name: " + table.name());
    }
    return table;
  }

  /**
   * Rejects a snapshot of another region or position index, and one of a state that does not follow
   * the present one: with keys that the region cannot have, or from before a split or a merge that
   * has been applied here.
   *
   * @param present the present shape; empty if there is no state
   * @throws IOException if it does not fit
   */
  void requireFor(GroupId expectedRegion, Optional<RegionShape> present, Position expectedPosition)
      throws IOException {
    if (!region.equals(expectedRegion) || !present.map(now -> now.mayBecome(shape)).orElse(true)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The snapshot is of region %s with keys %s, which is no later state of region %s%s.",
              region,
              shape.range(),
              expectedRegion,
              present.map(now -> " with keys " + now.range()).orElse("")));
    }
    if (position.index() != expectedPosition.index()) {
      throw new IOException(
          "The snapshot is at position " + position + ", not at " + expectedPosition + ".");
    }
  }

  /**
   * Verifies the checksum of every file.
   *
   * @throws IOException if a file is missing or differs from what was exported
   */
  void verifyFiles(Path directory) throws IOException {
    for (Table table : tables) {
      Path file = directory.resolve(table.name());
      if (!Files.isRegularFile(file)
          || Files.size(file) != table.bytes()
          || DurableFiles.checksum(file) != table.checksum()) {
        throw new IOException("The file " + file + " of a snapshot is missing or damaged.");
      }
    }
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  private static void putBytes(ByteBuffer to, byte[] bytes) {
    to.putInt(bytes.length).put(bytes);
  }

  private static byte[] getBytes(ByteBuffer from) {
    int length = from.getInt();
    if (length < 0 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return bytes;
  }
}
