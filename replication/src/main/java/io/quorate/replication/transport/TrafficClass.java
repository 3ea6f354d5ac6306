package io.quorate.replication.transport;

import io.quorate.replication.transport.handshake.Handshake;

/**
 * What a request to a peer is for. Each class has connections and bounds of its own, so that the
 * requests of one do not delay those of the other.
 */
public enum TrafficClass {
  /** What the progress of a group depends on, such as log entries, votes and heartbeats. */
  CONSENSUS(Handshake.Purpose.CONSENSUS_REQUESTS),
  /** Large or many requests, such as reads and chunks of snapshots. */
  BULK(Handshake.Purpose.BULK_REQUESTS);

  private final Handshake.Purpose purpose;

  TrafficClass(Handshake.Purpose purpose) {
    this.purpose = purpose;
  }

  /** What the connections of this class are for. */
  Handshake.Purpose purpose() {
    return purpose;
  }
}
