package io.quorate.torture.testbed.disk;

import io.quorate.model.Key;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.NativeScope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;

/** A row in the database of a stopped node that no command has written. */
public final class ForeignRow {
  /** Above all keys of clients, and of no range that they scan. */
  public static final String PREFIX = "~foreign/";

  private ForeignRow() {}

  /**
   * Adds a row with the value of an existing one, whatever the format of rows is.
   *
   * @param data the data directory of the node
   * @return the key; empty if there are no rows
   */
  public static Optional<Key> add(Path data, Random random) throws IOException {
    try (Database database =
        Database.open(data.resolve("storage").resolve("db"), StorageOptions.DEFAULT)) {
      Optional<Key> key = Optional.empty();
      try (NativeScope scope = database.child("rows");
          DatabaseBatch write = database.batch()) {
        Database.Cursor rows =
            database.cursor(scope, Family.DATA, new byte[0], Optional.empty(), Optional.empty());
        if (rows.isAtRow()) {
          key = Optional.of(Key.utf8(PREFIX + random.nextInt(Integer.MAX_VALUE)));
          write.put(Family.DATA, key.get().bytes(), ByteBuffer.wrap(rows.value()));
          database.write(write);
        }
      }
      database.flush();
      return key;
    }
  }
}
