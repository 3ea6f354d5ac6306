package io.quorate.storage.command;

import io.quorate.model.Key;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The row of the one key that operations read and change. One thread. */
final class SingleValue implements ValueStore {
  private Optional<ByteBuffer> row;
  private boolean changed;

  SingleValue(Optional<ByteBuffer> row) {
    this.row = row;
  }

  /** The present row. */
  Optional<ByteBuffer> row() {
    return row;
  }

  /** Whether an operation has written the row or removed it. */
  boolean isChanged() {
    return changed;
  }

  @Override
  public Optional<ByteBuffer> get(Key key) {
    return row;
  }

  @Override
  public void put(Key key, ByteBuffer newRow) {
    row = Optional.of(newRow);
    changed = true;
  }

  @Override
  public void delete(Key key) {
    row = Optional.empty();
    changed = true;
  }
}
