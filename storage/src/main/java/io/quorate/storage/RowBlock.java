package io.quorate.storage;

import io.quorate.consensus.Key;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Rows of which the first are read at once, as from a store that is asked for a number of rows.
 * Those that follow are read when they are come to: the number decides what is read ahead, and
 * never what is answered. One thread.
 */
final class RowBlock implements Rows {
  private record Row(Key key, ByteBuffer value) {}

  private final Rows source;
  private final Deque<Row> ahead = new ArrayDeque<>();

  /**
   * @param rowsMost read at once, at most
   * @param bytesMost the block ends with the row that reaches this many bytes
   */
  RowBlock(Rows source, int rowsMost, long bytesMost) throws IOException {
    this.source = source;
    for (long bytes = 0; source.isAtRow() && ahead.size() < rowsMost && bytes < bytesMost; ) {
      Row row = new Row(source.key(), source.value());
      bytes += row.key().size() + row.value().remaining();
      ahead.add(row);
      source.next();
    }
  }

  @Override
  public boolean isAtRow() {
    return !ahead.isEmpty() || source.isAtRow();
  }

  @Override
  public Key key() {
    return ahead.isEmpty() ? source.key() : ahead.element().key();
  }

  @Override
  public ByteBuffer value() {
    return ahead.isEmpty() ? source.value() : ahead.element().value();
  }

  @Override
  public void next() throws IOException {
    if (ahead.poll() == null) {
      source.next();
    }
  }
}
