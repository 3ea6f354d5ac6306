package io.quorate.replication.transport.handshake;

import io.quorate.common.DecodeException;

/** Why a node refuses a connection to or from another one. The code is on the wire. */
public enum RefusalReason {
  /** Another version of the protocol, or another protocol. */
  VERSION(1),
  /** The node belongs to another cluster. */
  CLUSTER(2),
  /** One of the two nodes is not the one that the other expects. */
  NODE(3),
  /** The node's disk is not the one recorded for it. */
  DISK(4),
  /** A frame was longer than its bound. */
  FRAME(5),
  /** A frame cannot be decoded. */
  MALFORMED(6),
  /** A bound is reached; a retry may succeed. */
  BUSY(7),
  /** A frame does not match its checksum. */
  CHECKSUM(8),
  /** The node has an older copy of its disk. */
  OUTDATED(9),
  /** The node belongs to a cluster of the same name that was founded at another time. */
  FOUNDING(10),
  /** The node is not in the cluster, as far as this one knows; a retry may succeed. */
  STRANGER(11);

  private static final RefusalReason[] ALL = values();

  private final int code;

  RefusalReason(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  static RefusalReason of(int code) {
    if (code < 1 || code > ALL.length) {
      throw new DecodeException("unknown refusal reason " + code);
    }
    return ALL[code - 1];
  }
}
