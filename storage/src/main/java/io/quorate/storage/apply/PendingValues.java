package io.quorate.storage.apply;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.storage.command.ValueStore;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Unwritten changes on top of the rows in the database. A key is written once, however often it
 * changes. One thread.
 */
final class PendingValues implements ValueStore {
  private final Database database;
  private final Family family;

  /** The keys whose rows in the database are obsolete; none is left below the changes. */
  private Optional<KeyRange> cleared = Optional.empty();

  /** The new rows; empty for a removed key. */
  private final Map<Key, Optional<ByteBuffer>> changes = new LinkedHashMap<>();

  PendingValues(Database database, Family family) {
    this.database = database;
    this.family = family;
  }

  @Override
  public Optional<ByteBuffer> get(Key key) throws IOException {
    Optional<ByteBuffer> change = changes.get(key);
    if (change != null) {
      return change;
    }
    return cleared.filter(range -> range.contains(key)).isPresent()
        ? Optional.empty()
        : database.get(family, key.bytes()).map(ByteBuffer::wrap);
  }

  @Override
  public void put(Key key, ByteBuffer row) {
    changes.put(key, Optional.of(row));
  }

  @Override
  public void delete(Key key) {
    changes.put(key, Optional.empty());
  }

  /** Removes all rows of a range, none of which has changed; at most once. */
  void clear(KeyRange range) {
    cleared = Optional.of(range);
  }

  void addTo(DatabaseBatch batch) throws IOException {
    if (cleared.isPresent()) {
      batch.deleteRows(family, cleared.get());
    }
    for (Map.Entry<Key, Optional<ByteBuffer>> change : changes.entrySet()) {
      if (change.getValue().isPresent()) {
        batch.put(family, change.getKey().bytes(), change.getValue().get());
      } else {
        batch.delete(family, change.getKey().bytes());
      }
    }
  }
}
