package io.quorate.storage.read;

import io.quorate.model.Position;

/**
 * How a scan with a row limit is read while changes wait to be applied (rule B8). A plan affects
 * the cost of a scan, never its result: whatever the plan, and however late it is executed, the
 * page is the state at one position that is readable at the time of the read.
 *
 * @param way the mode
 * @param after the position to be applied before the read, see {@code RegionStore.awaitScan};
 *     {@link Position#NONE} unless the mode is {@link Way#RELAXED}
 * @param stateRows number of rows that are read from the database in one block; 0 to read rows on
 *     demand
 */
public record ScanPlan(Way way, Position after, int stateRows) {
  /** Reads immediately, and only the rows that are needed. */
  public static final ScanPlan MERGE = new ScanPlan(Way.MERGE, Position.NONE, 0);

  /** The mode of a scan. */
  public enum Way {
    /** Merges the database's rows and the changes with two cursors. */
    MERGE,
    /** Reads enough rows to fill the page without those whose removal is pending. */
    IMMEDIATE,
    /** Waits until those removals are applied and then reads the requested number of rows. */
    RELAXED
  }

  /** Reads immediately, with this many rows of the database in one block. */
  public static ScanPlan immediate(int stateRows) {
    return new ScanPlan(Way.IMMEDIATE, Position.NONE, stateRows);
  }

  /** Waits until a position is applied, then reads this many rows in one block. */
  public static ScanPlan relaxed(Position after, int stateRows) {
    return new ScanPlan(Way.RELAXED, after, stateRows);
  }
}
