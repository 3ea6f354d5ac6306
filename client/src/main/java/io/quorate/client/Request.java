package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import java.util.Optional;

/**
 * What a call asks of the region that holds a key, and how it reads the answer.
 *
 * @param <T> what the caller gets
 */
interface Request<T> {
  Opcode opcode();

  /** What it counts as in a {@link CallReport}. */
  CallReport.Kind kind();

  /** The key by which it is routed. */
  Key key();

  /**
   * Checks that this region can serve all of it.
   *
   * @throws InvalidRequestException if it takes more than one region, or asks for more than the
   *     cluster gives
   */
  void requireWithin(ClusterMap map, RegionDescriptor region);

  /**
   * To be called before each attempt; {@link #ended} follows, once.
   *
   * @param whenRoom called when it is worth asking again, if the answer is no
   * @return whether the region may be sent the request now
   */
  default boolean maySend(OutstandingWrites writes, GroupId region, Runnable whenRoom) {
    return true;
  }

  /** The request will not be sent again. */
  default void ended() {}

  /**
   * How it is served from shares of a quorum of replicas, by the client itself; empty where one
   * replica is to serve it.
   */
  default Optional<SharedRead<T>> shared(ClusterMap map) {
    return Optional.empty();
  }

  /** Whether any replica takes it, also where there is a leader. */
  default boolean isForReplicas(ClusterMap map) {
    return false;
  }

  /** Length of the body after the routing, or a little more. */
  int bodyBytes();

  /** What it counts against the client's bound on bytes in flight. */
  long costBytes();

  /** Writes the body after the routing. */
  void writeBody(ByteBuf to, RegionDescriptor region);

  /**
   * Reads the body of an answer that {@code region} gave.
   *
   * @throws io.quorate.operation.MalformedException if it is not what it should be
   * @throws QuorateException if the database refused
   */
  T read(ByteBuf body, RegionDescriptor region);
}
