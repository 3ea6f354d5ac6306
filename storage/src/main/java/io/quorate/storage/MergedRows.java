package io.quorate.storage;

import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * Rows of the state with committed changes over them: what there would be if exactly the changes in
 * {@code (from, to]} had been applied (PROTOCOLS B2). Steps through both side by side, so that
 * removed rows cost one step each and nothing has to be read in advance (B8).
 */
final class MergedRows implements Rows {
  private final Rows state;
  private final Iterator<Map.Entry<Key, Changes>> overlay;
  private final Position from;
  private final Position to;
  private final Execution execution;

  /** The next changed key and what becomes of it; empty at the end. */
  private Optional<Changed> changed;

  /** The row here, if it is one that was changed; else it is the state's. */
  private Optional<Folded> folded = Optional.empty();

  private record Changed(Key key, Fold fold) {}

  private record Folded(Key key, ByteBuffer value) {}

  /**
   * @param state the rows at {@code from}
   * @param overlay changes of the same range of keys, in key order
   * @param from what the state contains
   * @param to up to where changes count; none does if it is not beyond {@code from}
   */
  MergedRows(
      Rows state,
      Iterator<Map.Entry<Key, Changes>> overlay,
      Position from,
      Position to,
      Execution execution)
      throws IOException {
    this.state = state;
    this.overlay = overlay;
    this.from = from;
    this.to = to;
    this.execution = execution;
    this.changed = nextChanged();
    settle();
  }

  private Optional<Changed> nextChanged() {
    while (overlay.hasNext()) {
      Map.Entry<Key, Changes> next = overlay.next();
      Optional<Fold> fold = next.getValue().between(from, to);
      if (fold.isPresent()) {
        return Optional.of(new Changed(next.getKey(), fold.get()));
      }
    }
    return Optional.empty();
  }

  /**
   * Finds the row that is here: the state's, unless a changed key comes first or takes its place.
   */
  private void settle() throws IOException {
    folded = Optional.empty();
    while (changed.isPresent() && folded.isEmpty()) {
      Changed next = changed.get();
      int order = state.isAtRow() ? state.key().compareTo(next.key()) : 1;
      if (order < 0) {
        return;
      }
      Optional<ByteBuffer> before = Optional.empty();
      if (order == 0) {
        before = next.fold().needsValue() ? Optional.of(state.value()) : before;
        state.next();
      }
      folded = next.fold().over(before, execution).map(value -> new Folded(next.key(), value));
      changed = nextChanged();
    }
  }

  @Override
  public boolean isAtRow() {
    return folded.isPresent() || state.isAtRow();
  }

  @Override
  public Key key() {
    return folded.isPresent() ? folded.get().key() : state.key();
  }

  @Override
  public ByteBuffer value() {
    // Others may be reading the same buffer, for it is the command's.
    return folded.isPresent() ? folded.get().value().duplicate() : state.value();
  }

  @Override
  public void next() throws IOException {
    if (folded.isEmpty()) {
      state.next();
    }
    settle();
  }
}
