package io.quorate.client;

import java.util.Locale;

/** What a call of a client does; see {@link CallListener}. */
public enum CallOperation {
  /** A read of one key. */
  GET,
  PUT,
  DELETE,
  APPEND,
  /** Also one that returns the sum. */
  INCREMENT,
  GET_AND_PUT,
  /** Also {@code putIfAbsent}. */
  COMPARE_AND_SET,
  BATCH,
  /**
   * A read of rows, with as many pages as it takes; where the caller asks for one page at a time,
   * as by an iterator, that page.
   */
  SCAN,
  /** The wait for the topology of the cluster. */
  READY,
  /** A request of the state of the nodes. */
  STATUS,
  /** A request of {@link AsyncQuorateClient#regions}. */
  REGIONS,
  /** A request of {@link AsyncQuorateClient#nodes}. */
  NODES,
  /** A request of {@link AsyncQuorateClient#access}. */
  ACCESS;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The name in metrics and traces, such as {@code compare_and_set}. */
  public String label() {
    return label;
  }

  /** Whether the call reads or writes keys, and so waits for admission and goes to one region. */
  public boolean isOnKeys() {
    return compareTo(SCAN) <= 0;
  }
}
