package io.quorate.storage.read;

import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.command.MergeChain;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.PendingVersions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * Rows of the state merged with committed changes: the rows that would exist if exactly the changes
 * in {@code (from, to]} had been applied (rule B2). Advances both sources in parallel, so that a
 * removed row costs one step and no row is read in advance (B8).
 */
final class MergingIterator implements RowIterator {
  private final RowIterator state;
  private final Iterator<Map.Entry<Key, PendingVersions>> overlay;
  private final ScanOrder order;
  private final Position from;
  private final Position to;
  private final OperationExecutor execution;

  /** The next changed key with its operations; empty at the end. */
  private Optional<PendingChange> nextChange;

  /** The current row if its key was changed; otherwise the current row is the state's. */
  private Optional<MergedRow> merged = Optional.empty();

  private record PendingChange(Key key, MergeChain chain) {}

  private record MergedRow(Key key, ByteBuffer value) {}

  /**
   * @param state the rows at {@code from}
   * @param overlay changes of the same key range
   * @param order the order of both
   * @param from the position of the state
   * @param to the last position whose changes count; if it is not beyond {@code from}, none count
   */
  MergingIterator(
      RowIterator state,
      Iterator<Map.Entry<Key, PendingVersions>> overlay,
      ScanOrder order,
      Position from,
      Position to,
      OperationExecutor execution)
      throws IOException {
    this.state = state;
    this.overlay = overlay;
    this.order = order;
    this.from = from;
    this.to = to;
    this.execution = execution;
    this.nextChange = readNextChange();
    advanceToRow();
  }

  private Optional<PendingChange> readNextChange() {
    while (overlay.hasNext()) {
      Map.Entry<Key, PendingVersions> next = overlay.next();
      Optional<MergeChain> chain = next.getValue().between(from, to);
      if (chain.isPresent()) {
        return Optional.of(new PendingChange(next.getKey(), chain.get()));
      }
    }
    return Optional.empty();
  }

  /** Determines the current row: the state's, unless a changed key precedes or replaces it. */
  private void advanceToRow() throws IOException {
    merged = Optional.empty();
    while (nextChange.isPresent() && merged.isEmpty()) {
      PendingChange next = nextChange.get();
      int comparison = state.isAtRow() ? order.compare(state.key(), next.key()) : 1;
      if (comparison < 0) {
        return;
      }
      Optional<ByteBuffer> before = Optional.empty();
      if (comparison == 0) {
        before = next.chain().needsValue() ? Optional.of(state.value()) : before;
        state.next();
      }
      merged =
          next.chain().applyTo(before, execution).map(value -> new MergedRow(next.key(), value));
      nextChange = readNextChange();
    }
  }

  @Override
  public boolean isAtRow() {
    return merged.isPresent() || state.isAtRow();
  }

  @Override
  public Key key() {
    return merged.isPresent() ? merged.get().key() : state.key();
  }

  @Override
  public ByteBuffer value() {
    // Duplicated because the buffer is the command's, which other threads may be reading.
    return merged.isPresent() ? merged.get().value().duplicate() : state.value();
  }

  @Override
  public void next() throws IOException {
    if (merged.isEmpty()) {
      state.next();
    }
    advanceToRow();
  }
}
