package io.quorate.client.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a request frame asks for. */
public enum Opcode {
  /** Hello, answered by Welcome. Must be the first. */
  HELLO(1),
  /** Empty, answered by Topology. */
  TOPOLOGY(2),
  /** {@link DataFrames} write. */
  WRITE(3),
  /** {@link DataFrames} get. */
  GET(4),
  /** {@link DataFrames} scan. */
  SCAN(5),
  /** StatusRequest, answered by NodeStatus. */
  STATUS(6),
  /** TransferLeaderRequest, answered by TransferLeaderResponse. */
  TRANSFER_LEADER(7),
  /** {@link DataFrames} share of a quorum read. */
  SHARE(8);

  /** Made once: this is asked for every frame. */
  private static final List<Optional<Opcode>> BY_CODE =
      Stream.of(values()).map(Optional::of).toList();

  private final int code;

  Opcode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static Optional<Opcode> of(int code) {
    return code >= 1 && code <= values().length
        ? Optional.of(values()[code - 1])
        : Optional.empty();
  }
}
