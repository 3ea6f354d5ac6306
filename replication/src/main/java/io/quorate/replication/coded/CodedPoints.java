package io.quorate.replication.coded;

import io.quorate.common.Failpoint;
import io.quorate.consensus.BodyId;
import io.quorate.model.NodeId;

/**
 * The failpoints between the steps by which a body becomes recoverable and is read; the subject is
 * a {@link Step}. Failpoints of the body store are in {@code storage.body}, those of the log in
 * {@code io.quorate.ratis}.
 */
public final class CodedPoints {
  /**
   * What a replica is doing.
   *
   * @param node the replica that reached the failpoint
   * @param peer the other replica of the step; {@code node} itself if there is none
   */
  public record Step(NodeId node, NodeId peer, BodyId body) {
    static Step local(NodeId node, BodyId body) {
      return new Step(node, node, body);
    }
  }

  /** A leader has encoded a body, and has sent nothing. */
  public static final Failpoint ENCODED = Failpoint.named("raft.bodies.encoded");

  /** The leader's own copy is durable, and is not counted. */
  public static final Failpoint OWN_COPY_DURABLE = Failpoint.named("raft.bodies.own-copy-durable");

  /** A chunk has arrived at a follower. */
  public static final Failpoint CHUNK_RECEIVED = Failpoint.named("raft.bodies.chunk-received");

  /** A follower has received all of its part, and has not stored it. */
  public static final Failpoint BEFORE_STORE = Failpoint.named("raft.bodies.before-store");

  /** A follower's part is durable, and the leader has not received the acknowledgement. */
  public static final Failpoint BEFORE_ACKNOWLEDGEMENT =
      Failpoint.named("raft.bodies.before-acknowledgement");

  /** The leader has received an acknowledgement, and has not counted it. */
  public static final Failpoint ACKNOWLEDGED = Failpoint.named("raft.bodies.acknowledged");

  /** The fallback is due, and no complete copy is sent. */
  public static final Failpoint FALLBACK_DUE = Failpoint.named("raft.bodies.fallback-due");

  /** Enough replicas hold the body, and its header is not proposed. */
  public static final Failpoint BEFORE_HEADER = Failpoint.named("raft.bodies.before-header");

  /** The header is proposed, and its outcome is not known. */
  public static final Failpoint HEADER_PROPOSED = Failpoint.named("raft.bodies.header-proposed");

  /** A request for a part of a body has arrived. */
  public static final Failpoint FETCH_RECEIVED = Failpoint.named("raft.bodies.fetch-received");

  /** A body is restored from what other replicas hold, and is not kept here. */
  public static final Failpoint RESTORED = Failpoint.named("raft.bodies.restored");

  private CodedPoints() {}
}
