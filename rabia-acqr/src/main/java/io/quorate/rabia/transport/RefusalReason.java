package io.quorate.rabia.transport;

import io.quorate.operation.MalformedException;

/** Why one node does not talk to another. The code is on the wire. */
public enum RefusalReason {
  /** Another version of the protocol, or another protocol. */
  VERSION(1),
  /** The node belongs to another cluster. */
  CLUSTER(2),
  /** One of the two is not the node that the other one expects. */
  NODE(3),
  /** The node's disk is not the one it had. */
  DISK(4),
  /** A frame was longer than its bound. */
  FRAME(5),
  /** What was sent cannot be read. */
  MALFORMED(6),
  /** A bound is reached; worth trying again. */
  BUSY(7);

  private static final RefusalReason[] ALL = values();

  private final int code;

  RefusalReason(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static RefusalReason of(int code) {
    if (code < 1 || code > ALL.length) {
      throw new MalformedException("there is no reason " + code + " to refuse");
    }
    return ALL[code - 1];
  }
}
