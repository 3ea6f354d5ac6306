package io.quorate.rabia.log;

import io.quorate.rabia.protocol.Decided;
import io.quorate.replication.log.GroupLog;
import java.io.IOException;
import java.util.List;

/**
 * Reads decisions from a log that is being written, for a replica that is behind. Blocks; any
 * thread.
 */
public final class DecisionReader {
  /** The slots that are read at a time, which bounds what is read in vain. */
  private static final int SLOTS = 32;

  private final GroupLog group;

  DecisionReader(GroupLog group) {
    this.group = group;
  }

  /**
   * Reads consecutive decisions from a slot on, as many as there are up to the limits: the replica
   * that is behind has one request in flight, and would otherwise receive one decision a round
   * trip.
   *
   * @param bytesMax maximum bytes of batch bodies; one body may exceed it
   * @return empty if the log does not hold the slot's decision
   * @throws IOException if a record cannot be read
   */
  public List<Decided> read(long from, int slotsMax, int bytesMax) throws IOException {
    DecisionScan.Page page = new DecisionScan.Page(slotsMax, bytesMax);
    DecisionScan scan = new DecisionScan(from);
    int slots = Math.min(SLOTS, slotsMax);
    for (long first = from; scan.next() == first && !page.isFull(); first += slots) {
      group.events(
          first,
          first + slots,
          (kind, at, bytes) -> scan.add(ReplicaLog.decode(group.id(), at, bytes)));
      scan.fill(page);
    }
    return page.decided();
  }
}
