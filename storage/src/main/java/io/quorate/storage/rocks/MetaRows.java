package io.quorate.storage.rocks;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.rocksdb.ReadOptions;

/**
 * The rows of {@link Family#META}. Integers are big-endian.
 *
 * <pre>
 * 'f'              version(i32)                     format of the whole database
 * 'a' region(i32)  epoch(i64) index(i64)            applied position
 * 'i' region(i32)  epoch(i64) index(i64) name       install marker: position and staging directory
 * 'r' region(i32)  version(u8) keyspace(u8) shape   base of a region, see {@link RegionShape}; the
 *                                                   version is that of the encoding, from 1 on
 * 'w'                                               probe that shows whether writes are accepted
 * </pre>
 */
public final class MetaRows {
  private static final int PLAIN_FORMAT = 1;

  /** With the rows of {@link Family#DATA} in {@code command.RowFormat#TYPED}. */
  private static final int BODIES_FORMAT = 4;

  private static final byte[] FORMAT_KEY = {'f'};
  private static final byte[] FIRST_BASE = {'r'};
  private static final byte[] AFTER_BASES = {'r' + 1};
  private static final byte FIRST_VERSION = 1;

  /**
   * What a region has from its beginning on, whether or not it has applied anything. A region with
   * an applied position and without this row was written by a former version.
   */
  public record Base(Keyspace keyspace, RegionShape shape) {}

  /**
   * Marks an install that has begun to replace the old state.
   *
   * @param position the position of the new state
   * @param staging name of the directory that holds the new state's files
   */
  public record InstallMarker(Position position, String staging) {}

  private final Database database;

  public MetaRows(Database database) {
    this.database = database;
  }

  /** Whether the database has no format yet: {@link #establishFormat} has not been called. */
  public boolean isNew() throws IOException {
    return database.get(Family.META, FORMAT_KEY).isEmpty();
  }

  /**
   * Writes the format version into an empty database, durably.
   *
   * @param bodies whether rows may refer to bodies
   * @throws IOException if the database has another format version
   */
  public void establishFormat(boolean bodies) throws IOException {
    int format = bodies ? BODIES_FORMAT : PLAIN_FORMAT;
    Optional<byte[]> found = database.get(Family.META, FORMAT_KEY);
    if (found.isEmpty()) {
      try (DatabaseBatch batch = database.batch()) {
        batch.put(
            Family.META, FORMAT_KEY, ByteBuffer.allocate(Integer.BYTES).putInt(0, format).array());
        database.write(batch);
      }
      database.flush();
      return;
    }
    int version = found.get().length == Integer.BYTES ? ByteBuffer.wrap(found.get()).getInt() : -1;
    if (version != format) {
      throw new IOException(
          "The database has format "
              + version
              + ", this program reads format "
              + format
              + (bodies ? " with" : " without")
              + " bodies of large values; use the program and the mode of replication that wrote"
              + " it, or start this node with an empty directory.");
    }
  }

  /** The applied position of a region; {@link Position#NONE} before the first. */
  public Position applied(GroupId region) throws IOException {
    return decodeApplied(database.get(Family.META, key('a', region)));
  }

  /** The applied position as of a snapshot. */
  public Position applied(GroupId region, ReadOptions options) throws IOException {
    return decodeApplied(database.get(Family.META, key('a', region), options));
  }

  private static Position decodeApplied(Optional<byte[]> row) throws IOException {
    return row.isEmpty() ? Position.NONE : position(ByteBuffer.wrap(row.get()));
  }

  /** Sets the applied position, in one batch with the state at that position. */
  public void putApplied(DatabaseBatch batch, GroupId region, Position position)
      throws IOException {
    batch.put(Family.META, key('a', region), encode(position, 0));
  }

  public void deleteApplied(DatabaseBatch batch, GroupId region) throws IOException {
    batch.delete(Family.META, key('a', region));
  }

  /** The base of a region; empty if it has none here. */
  public Optional<Base> base(GroupId region) throws IOException {
    Optional<byte[]> row = database.get(Family.META, key('r', region));
    return row.isPresent() ? Optional.of(decodeBase(row.get())) : Optional.empty();
  }

  /** The base of a region as of a snapshot. */
  public Optional<Base> base(GroupId region, ReadOptions options) throws IOException {
    Optional<byte[]> row = database.get(Family.META, key('r', region), options);
    return row.isPresent() ? Optional.of(decodeBase(row.get())) : Optional.empty();
  }

  /** The bases of all regions that have one here, in the order of their ids. */
  public Map<GroupId, Base> bases() throws IOException {
    Map<GroupId, Base> bases = new TreeMap<>();
    try (NativeScope scope = database.child("bases")) {
      Database.Cursor cursor =
          database.cursor(
              scope, Family.META, FIRST_BASE, Optional.of(AFTER_BASES), Optional.empty());
      for (; cursor.isAtRow(); cursor.next()) {
        GroupId region = new GroupId(ByteBuffer.wrap(cursor.key()).getInt(1));
        bases.put(region, decodeBase(cursor.value()));
      }
    }
    return bases;
  }

  private static Base decodeBase(byte[] row) throws IOException {
    ByteBuffer from = ByteBuffer.wrap(row);
    try {
      byte version = from.get();
      RegionShape.Encoding[] encodings = RegionShape.Encoding.values();
      if (version < FIRST_VERSION || version >= FIRST_VERSION + encodings.length) {
        throw new IOException(
            "The base of a region has format "
                + version
                + ", this program reads formats "
                + FIRST_VERSION
                + " to "
                + encodings.length
                + ".");
      }
      return new Base(
          Keyspace.values()[from.get()],
          RegionShape.read(from, encodings[version - FIRST_VERSION]));
    } catch (BufferUnderflowException
        | IllegalArgumentException
        | ArrayIndexOutOfBoundsException e) {
      throw new IOException("The base of a region is damaged.", e);
    }
  }

  public void putBase(DatabaseBatch batch, GroupId region, Base base) throws IOException {
    ByteBuffer row = ByteBuffer.allocate(2 + base.shape().encodedBytes());
    row.put((byte) (FIRST_VERSION + base.shape().encoding().ordinal()));
    row.put((byte) base.keyspace().ordinal());
    batch.put(Family.META, key('r', region), base.shape().write(row).flip());
  }

  public void deleteBase(DatabaseBatch batch, GroupId region) throws IOException {
    batch.delete(Family.META, key('r', region));
  }

  /** The marker of an install that is not complete; empty if there is none. */
  public Optional<InstallMarker> installMarker(GroupId region) throws IOException {
    Optional<byte[]> row = database.get(Family.META, key('i', region));
    if (row.isEmpty()) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(row.get());
    Position position = position(bytes);
    return Optional.of(
        new InstallMarker(position, StandardCharsets.US_ASCII.decode(bytes).toString()));
  }

  public void putInstallMarker(DatabaseBatch batch, GroupId region, InstallMarker marker)
      throws IOException {
    byte[] name = marker.staging().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer row = ByteBuffer.wrap(encode(marker.position(), name.length));
    row.put(Position.BYTES, name);
    batch.put(Family.META, key('i', region), row);
  }

  public void deleteInstallMarker(DatabaseBatch batch, GroupId region) throws IOException {
    batch.delete(Family.META, key('i', region));
  }

  private static byte[] key(char kind, GroupId region) {
    return ByteBuffer.allocate(1 + Integer.BYTES).put((byte) kind).putInt(region.value()).array();
  }

  private static byte[] encode(Position position, int extraBytes) {
    return position.write(ByteBuffer.allocate(Position.BYTES + extraBytes)).array();
  }

  private static Position position(ByteBuffer bytes) throws IOException {
    try {
      return Position.read(bytes);
    } catch (BufferUnderflowException e) {
      throw new IOException("A position row of the database is too short.", e);
    }
  }
}
