package io.quorate.storage.read;

import io.quorate.model.Key;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Iterator that reads the first rows in one block, like a store that is queried for a number of
 * rows. Later rows are read on demand: the block size affects what is read ahead, never the result.
 * One thread.
 */
final class PrefetchingIterator implements RowIterator {
  private record Row(Key key, ByteBuffer value) {}

  private final RowIterator source;
  private final Deque<Row> prefetched = new ArrayDeque<>();

  /**
   * @param rowsMax maximum number of rows in the block
   * @param bytesMax the block ends with the row that reaches this many bytes
   */
  PrefetchingIterator(RowIterator source, int rowsMax, long bytesMax) throws IOException {
    this.source = source;
    for (long bytes = 0; source.isAtRow() && prefetched.size() < rowsMax && bytes < bytesMax; ) {
      Row row = new Row(source.key(), source.value());
      bytes += row.key().size() + row.value().remaining();
      prefetched.add(row);
      source.next();
    }
  }

  @Override
  public boolean isAtRow() {
    return !prefetched.isEmpty() || source.isAtRow();
  }

  @Override
  public Key key() {
    return prefetched.isEmpty() ? source.key() : prefetched.element().key();
  }

  @Override
  public ByteBuffer value() {
    return prefetched.isEmpty() ? source.value() : prefetched.element().value();
  }

  @Override
  public void next() throws IOException {
    if (prefetched.poll() == null) {
      source.next();
    }
  }
}
