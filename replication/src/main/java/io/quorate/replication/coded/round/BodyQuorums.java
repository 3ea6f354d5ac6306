package io.quorate.replication.coded.round;

/**
 * How many servers must hold a body durably before its header may be proposed, so that every {@code
 * failuresMax + 1} servers can reconstruct it (CRaft, section 3; rule E1).
 *
 * <p>In a group of 2F + 1 servers, F + 1 of them miss at most F holders. If F + k servers hold
 * distinct fragments, at least k of these remain; if F + 1 hold a complete copy, one remains.
 *
 * @param servers the number of servers of the group; groups have an even number only while their
 *     members change
 * @param dataFragments k, the number of fragments that suffice to decode. It may be so large, after
 *     the group has become smaller, that only complete copies suffice
 */
public record BodyQuorums(int servers, int dataFragments) {
  /**
   * @throws IllegalArgumentException if there are no servers, or k is less than 1
   */
  public BodyQuorums {
    if (servers < 1 || dataFragments < 1) {
      throw new IllegalArgumentException(
          "A body is not in " + dataFragments + " fragments on " + servers + " servers.");
    }
  }

  /** F, the number of servers that may fail. */
  public int failuresMax() {
    return (servers - 1) / 2;
  }

  /** The number of holders, whatever they hold, that suffices. */
  public int holders() {
    return failuresMax() + dataFragments;
  }

  /** The number of holders of complete copies that suffices. */
  public int completeHolders() {
    return failuresMax() + 1;
  }

  /** Whether a body that is held so can be reconstructed by any F + 1 servers. */
  public boolean areMet(int fragmentHolders, int completeCopies) {
    return fragmentHolders + completeCopies >= holders() || completeCopies >= completeHolders();
  }
}
