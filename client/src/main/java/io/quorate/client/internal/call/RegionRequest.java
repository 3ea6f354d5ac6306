package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.protocol.wire.Opcode;
import java.util.Optional;
import java.util.Set;

/**
 * The request of a call to the region that holds a key, and the decoder of its response.
 *
 * @param <T> the type of the result
 */
interface RegionRequest<T> {
  Opcode opcode();

  /** Whether it may change something. */
  boolean isWrite();

  /** The key by which the request is routed. */
  Key key();

  /** The keys for which the request has its turn; none if it goes at once in any case. */
  default Set<Key> orderedKeys() {
    return Set.of();
  }

  /**
   * Checks that this region can serve the whole request.
   *
   * @throws InvalidRequestException if the request spans several regions, or requires a stronger
   *     guarantee than the cluster provides
   */
  void requireWithin(TopologySnapshot topology, RegionDescriptor region);

  /**
   * Called before each attempt; {@link #ended} is called once afterwards.
   *
   * @param inDoubt whether an earlier attempt may have taken effect, or may still take effect
   * @param whenCapacity run when the request should be tried again, if the result is false
   * @return whether the request may be sent to the region now
   */
  default boolean maySend(
      SessionSequencer writes, GroupId region, boolean inDoubt, Runnable whenCapacity) {
    return true;
  }

  /**
   * Whether a response says that no copy of the request will take effect, because the call began
   * before what the region remembers. If no earlier attempt is in doubt, the call begins anew.
   */
  default boolean isToBeginAnew(ByteBuf body) {
    return false;
  }

  /** Called before the call begins anew: no copy that was sent has taken effect, or ever will. */
  default void beginAnew() {}

  /**
   * The write that one can go on with after a call that has left it in doubt; empty if the request
   * is no write, or was never sent. {@link #ended} is not called then.
   */
  default Optional<UnsettledWrite> unsettled(ClientContext context) {
    return Optional.empty();
  }

  /** Called when the request will not be sent again. */
  default void ended() {}

  /**
   * The request as a quorum read that the client merges itself; empty if one replica is to serve
   * it.
   */
  default Optional<SharedRead<T>> sharedRead(TopologySnapshot topology) {
    return Optional.empty();
  }

  /** Whether any replica accepts the request, even if there is a leader. */
  default boolean isForReplicas(TopologySnapshot topology) {
    return false;
  }

  /** The length of the body after the routing part, or a little more. */
  int bodyBytes();

  /** The number of bytes that count against the client's bound on bytes in flight. */
  long costBytes();

  /** Those of them that the request holds before it is in flight. */
  default long waitingBytes() {
    return costBytes();
  }

  /** Writes the body after the routing part. */
  void writeBody(ByteBuf to, RegionDescriptor region);

  /**
   * Reads the body of a response.
   *
   * @param region the region that responded
   * @throws io.quorate.common.DecodeException if the body is malformed
   * @throws QuorateException if the database rejected the request
   */
  T read(ByteBuf body, RegionDescriptor region);
}
