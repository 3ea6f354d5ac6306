package io.quorate.storage.read;

import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.storage.command.MergeChain;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.PendingVersions;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decides whether a scan with a row limit reads past removals that are not applied yet or waits
 * until they are applied: Immediate Read and Relaxed Read of the BUC paper (rule B8). The decision
 * depends only on the arguments.
 *
 * <p>Reading past removals costs one row for each removed key that the database still contains.
 * Waiting costs the application of every position up to the last such removal. Puts need no
 * waiting, since they are in the overlay.
 */
final class CostModel {
  /**
   * Keys of a range whose rows a scan may read without returning them.
   *
   * @param keys their number
   * @param last position of the last of their changes; {@link Position#NONE} if there are none
   */
  record Removals(int keys, Position last) {
    static final Removals NONE = new Removals(0, Position.NONE);
  }

  /**
   * @param row cost of reading one row, in nanoseconds
   * @param position cost of applying one position, in nanoseconds
   */
  record Costs(OptionalDouble row, OptionalDouble position) {}

  private CostModel() {}

  /**
   * Counts the removals in {@code (from, to]}: distinct keys that have no value afterwards. A put
   * after a removal cancels it.
   *
   * <p>Rule B8 counts only keys that exist in the state, up to the last returned key. Neither is
   * known before the state is read, and a lookup of a key costs as much as reading its row. So this
   * counts every removed key up to where the changes alone fill the page, which is never less than
   * the rule. An operation whose effect depends on the value, such as a pending compare-and-set
   * that may remove the key, counts as well.
   *
   * @param changes of the range, in the order of the scan
   * @param rows maximum number of rows to return
   */
  static Removals removals(
      Iterator<Map.Entry<Key, PendingVersions>> changes,
      Position from,
      Position to,
      int rows,
      OperationExecutor execution)
      throws IOException {
    Removals found = Removals.NONE;
    int rowsFound = 0;
    while (rowsFound < rows && changes.hasNext()) {
      Optional<MergeChain> chain = changes.next().getValue().between(from, to);
      if (chain.isEmpty()) {
        continue;
      }
      boolean isKnown = !chain.get().needsValue();
      if (isKnown && chain.get().applyTo(Optional.empty(), execution).isPresent()) {
        rowsFound++;
      } else if (isKnown || chain.get().mayRemove()) {
        Position at = chain.get().at();
        found = new Removals(found.keys() + 1, at.covers(found.last()) ? at : found.last());
      }
    }
    return found;
  }

  /**
   * Chooses the cheaper mode. While a cost is unknown, no scan waits.
   *
   * @param rows maximum number of rows to return
   * @param applied the position up to which the database contains every change
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
