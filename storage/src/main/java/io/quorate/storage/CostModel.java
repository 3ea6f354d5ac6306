package io.quorate.storage;

import io.quorate.consensus.Key;
import io.quorate.consensus.Position;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decides whether a scan of a number of rows reads past removals that are not applied yet, or waits
 * until they are (the BUC paper's Immediate Read and Relaxed Read, PROTOCOLS B8). Decides by its
 * arguments alone.
 *
 * <p>Reading past costs a row for each key that the database still has and that is gone. Waiting
 * costs the application of every position up to the last such removal; puts need no waiting, as
 * they are in the overlay.
 */
final class CostModel {
  /**
   * Keys of a range whose rows a scan may have to read in vain.
   *
   * @param keys how many
   * @param last where the last of their changes stands; {@link Position#NONE} if there are none
   */
  record Removals(int keys, Position last) {
    static final Removals NONE = new Removals(0, Position.NONE);
  }

  /**
   * @param row what reading one row costs, in nanoseconds
   * @param position what applying one position costs, likewise
   */
  record Costs(OptionalDouble row, OptionalDouble position) {}

  private CostModel() {}

  /**
   * Counts the removals in {@code (from, to]}: distinct keys that have no value afterwards, a put
   * after the removal cancelling it.
   *
   * <p>Rule B8 counts only those that the state has, up to the last key that is returned. Neither
   * is known before the state is read, and asking it costs as much as reading the row, so this
   * counts every such key up to where the changes alone fill the page: never fewer than the rule.
   * What depends on the value, such as a pending compare-and-set that may remove, counts as well.
   *
   * @param changes of the range, in key order
   * @param rows how many are wanted
   */
  static Removals removals(
      Iterator<Map.Entry<Key, Changes>> changes,
      Position from,
      Position to,
      int rows,
      Execution execution)
      throws IOException {
    Removals found = Removals.NONE;
    int present = 0;
    while (present < rows && changes.hasNext()) {
      Optional<Fold> fold = changes.next().getValue().between(from, to);
      if (fold.isEmpty()) {
        continue;
      }
      boolean isKnown = !fold.get().needsValue();
      if (isKnown && fold.get().over(Optional.empty(), execution).isPresent()) {
        present++;
      } else if (isKnown || fold.get().mayRemove()) {
        Position at = fold.get().at();
        found = new Removals(found.keys() + 1, at.covers(found.last()) ? at : found.last());
      }
    }
    return found;
  }

  /**
   * The cheaper of the two ways. While a cost is not known yet, nothing waits.
   *
   * @param rows how many are wanted
   * @param applied up to where the database has everything
   */
  static ScanPlan choose(int rows, Removals removals, Position applied, Costs costs) {
    ScanPlan immediate =
        ScanPlan.immediate((int) Math.min(Integer.MAX_VALUE, (long) rows + removals.keys()));
    if (removals.keys() == 0 || costs.row().isEmpty() || costs.position().isEmpty()) {
      return immediate;
    }
    double reading = removals.keys() * costs.row().getAsDouble();
    double waiting = (removals.last().index() - applied.index()) * costs.position().getAsDouble();
    return reading < waiting ? immediate : ScanPlan.relaxed(removals.last(), rows);
  }
}
