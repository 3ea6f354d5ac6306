package io.quorate.storage;

import io.quorate.consensus.Position;

/**
 * How a scan of a number of rows is read while changes wait to be applied (PROTOCOLS B8). A plan
 * decides what a scan costs, and never what it answers: whichever it is, and however late it is
 * carried out, the page is the state at one position that is readable when it is read.
 *
 * @param way what is done
 * @param after what is to be applied before, see {@link RegionStore#awaitScan}; {@link
 *     Position#NONE} unless the way is {@link Way#RELAXED}
 * @param stateRows how many rows the database is asked for at once; 0 where they are read as they
 *     are needed
 */
public record ScanPlan(Way way, Position after, int stateRows) {
  /** Reads at once, and from the database what is needed and no more. */
  public static final ScanPlan MERGE = new ScanPlan(Way.MERGE, Position.NONE, 0);

  /** What is done. */
  public enum Way {
    /** Steps through the database's rows and the changes side by side. */
    MERGE,
    /** Asks for so many rows that enough are left without those whose removal is pending. */
    IMMEDIATE,
    /** Waits until those removals are applied, and then asks for the rows that are wanted. */
    RELAXED
  }

  static ScanPlan immediate(int stateRows) {
    return new ScanPlan(Way.IMMEDIATE, Position.NONE, stateRows);
  }

  static ScanPlan relaxed(Position after, int stateRows) {
    return new ScanPlan(Way.RELAXED, after, stateRows);
  }
}
