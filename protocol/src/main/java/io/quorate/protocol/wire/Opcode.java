package io.quorate.protocol.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The kind of a request frame. */
public enum Opcode {
  /** Hello; the response is Welcome. Must be the first request. */
  HELLO(1, Subject.NODE),
  /** Empty; the response is Topology. */
  TOPOLOGY(2, Subject.NODE),
  /** {@link DataFrames} write. */
  WRITE(3, Subject.ROWS),
  /** {@link DataFrames} get. */
  GET(4, Subject.ROWS),
  /** {@link DataFrames} scan. */
  SCAN(5, Subject.ROWS),
  /** StatusRequest; the response is NodeStatus. */
  STATUS(6, Subject.NODE),
  /** TransferLeaderRequest; the response is TransferLeaderResponse. */
  TRANSFER_LEADER(7, Subject.CLUSTER),
  /** {@link DataFrames} read reply of one replica to a quorum read. */
  READ_REPLY(8, Subject.ROWS),
  /** {@link DataFrames} scan, in reverse order. */
  SCAN_REVERSE(9, Subject.ROWS),
  /** MoveReplicaRequest; the response is MoveReplicaResponse. */
  MOVE_REPLICA(10, Subject.CLUSTER),
  /** ChangeNodesRequest; the response is ChangeNodesResponse. */
  CHANGE_NODES(11, Subject.CLUSTER),
  /** SplitRegionRequest; the response is SplitRegionResponse. */
  SPLIT_REGION(12, Subject.CLUSTER),
  /** ConfirmPlanRequest; the response is ConfirmPlanResponse. */
  CONFIRM_PLAN(13, Subject.CLUSTER),
  /** MergeRegionRequest; the response is MergeRegionResponse. */
  MERGE_REGION(14, Subject.CLUSTER),
  /** VerifyRegionRequest; the response is VerifyRegionResponse. */
  VERIFY_REGION(15, Subject.CLUSTER),
  /** AccessRequest of a node; the response is AccessResponse. */
  ACCESS(16, Subject.CLUSTER),
  /** ChangeAccessRequest; the response is ChangeAccessResponse. */
  CHANGE_ACCESS(17, Subject.CLUSTER),
  /** Authenticate, before anything else, of a client without a certificate; so is the response. */
  AUTHENTICATE(18, Subject.NODE);

  /** Created once, because a lookup is made for every frame. */
  private static final List<Optional<Opcode>> BY_CODE =
      Stream.of(values()).map(Optional::of).toList();

  /** What a request is about. */
  private enum Subject {
    /** The node. */
    NODE,
    /** Rows of a region. */
    ROWS,
    /** The nodes, regions and replicas of the cluster. */
    CLUSTER
  }

  private final int code;
  private final Subject subject;

  Opcode(int code, Subject subject) {
    this.code = code;
    this.subject = subject;
  }

  public int code() {
    return code;
  }

  /**
   * Whether a request of this kind is about the node and not about rows: it is served while the
   * node has as many other requests as it may have, so that clients can connect and find out why.
   */
  public boolean isControl() {
    return subject == Subject.NODE;
  }

  /** Whether a request of this kind is about rows of a region. */
  public boolean isOfRegion() {
    return subject == Subject.ROWS;
  }

  /** Whether a request of this kind is one of operators about the cluster. */
  public boolean isOfOperators() {
    return subject == Subject.CLUSTER && this != ACCESS && this != CONFIRM_PLAN;
  }

  public static Optional<Opcode> of(int code) {
    return code >= 1 && code <= BY_CODE.size() ? BY_CODE.get(code - 1) : Optional.empty();
  }
}
