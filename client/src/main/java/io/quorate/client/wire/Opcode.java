package io.quorate.client.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The kind of a request frame. */
public enum Opcode {
  /** Hello; the response is Welcome. Must be the first request. */
  HELLO(1),
  /** Empty; the response is Topology. */
  TOPOLOGY(2),
  /** {@link DataFrames} write. */
  WRITE(3),
  /** {@link DataFrames} get. */
  GET(4),
  /** {@link DataFrames} scan. */
  SCAN(5),
  /** StatusRequest; the response is NodeStatus. */
  STATUS(6),
  /** TransferLeaderRequest; the response is TransferLeaderResponse. */
  TRANSFER_LEADER(7),
  /** {@link DataFrames} read reply of one replica to a quorum read. */
  READ_REPLY(8),
  /** {@link DataFrames} scan, in reverse order. */
  SCAN_REVERSE(9),
  /** MoveReplicaRequest; the response is MoveReplicaResponse. */
  MOVE_REPLICA(10),
  /** ChangeNodesRequest; the response is ChangeNodesResponse. */
  CHANGE_NODES(11),
  /** SplitRegionRequest; the response is SplitRegionResponse. */
  SPLIT_REGION(12),
  /** ConfirmPlanRequest; the response is ConfirmPlanResponse. */
  CONFIRM_PLAN(13),
  /** MergeRegionRequest; the response is MergeRegionResponse. */
  MERGE_REGION(14),
  /** VerifyRegionRequest; the response is VerifyRegionResponse. */
  VERIFY_REGION(15);

  /** Created once, because a lookup is made for every frame. */
  private static final List<Optional<Opcode>> BY_CODE =
      Stream.of(values()).map(Optional::of).toList();

  private final int code;

  Opcode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /**
   * Whether a request of this kind is about the node and not about rows: it is served while the
   * node has as many other requests as it may have, so that clients can connect and find out why.
   */
  public boolean isControl() {
    return this == HELLO || this == TOPOLOGY || this == STATUS;
  }

  /** Whether a request of this kind is about rows of a region. */
  public boolean isOfRegion() {
    return switch (this) {
      case WRITE, GET, SCAN, SCAN_REVERSE, READ_REPLY -> true;
      default -> false;
    };
  }

  public static Optional<Opcode> of(int code) {
    return code >= 1 && code <= BY_CODE.size() ? BY_CODE.get(code - 1) : Optional.empty();
  }
}
