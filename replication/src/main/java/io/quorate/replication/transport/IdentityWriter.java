package io.quorate.replication.transport;

import io.netty.channel.EventLoop;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.PeerEvents;
import io.quorate.replication.transport.handshake.PeerIdentities;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Records identities on a thread of its own and reports the result on the event loops. A peer that
 * is recorded already needs neither a write nor the other thread.
 */
final class IdentityWriter {

  /** The durable state of a peer's identity after a call. */
  enum Result {
    /** The recorded disk is the one that the peer presented. */
    KNOWN,
    /** Another disk is recorded. */
    OTHER,
    /** A start from the disk is recorded that the one which the peer presented lacks. */
    OUTDATED,
    /** Nothing is recorded: the node is not in the cluster, as far as this one knows. */
    STRANGER,
    /** Nothing is recorded: there are too many peers. */
    TOO_MANY,
    /** Nothing is recorded: the write failed, or is impossible now. */
    NOT_WRITTEN;

    /** The result of a call after which the peer is not unknown. */
    private static Result of(PeerIdentities.Standing standing) {
      return switch (standing) {
        case KNOWN -> KNOWN;
        case OTHER -> OTHER;
        case OUTDATED -> OUTDATED;
        case UNKNOWN -> throw new IllegalArgumentException("It was not recorded.");
      };
    }

    /** The refusal of the peer that follows from this result, if any. */
    Optional<Handshake.Refused> refusal(NodeId peer, TransportSettings settings) {
      return switch (this) {
        case KNOWN -> Optional.empty();
        case OTHER ->
            Optional.of(
                new Handshake.Refused(
                    RefusalReason.DISK,
                    "Node "
                        + peer
                        + " has another disk than the one that is recorded for it: without the"
                        + " entries and votes of that one it must not take part. A disk that was"
                        + " replaced does not return. If the present one is lost, start the node"
                        + " with its former name and empty directories, and accept it with \"node"
                        + " replace\"."));
        case OUTDATED ->
            Optional.of(
                new Handshake.Refused(
                    RefusalReason.OUTDATED,
                    "Node "
                        + peer
                        + " has an older copy of its disk, or one that was used elsewhere: it lacks"
                        + " a start that was recorded here, and what it has acknowledged since."));
        case STRANGER ->
            Optional.of(
                new Handshake.Refused(
                    RefusalReason.STRANGER,
                    "Node " + peer + " is not in the cluster, as far as this node knows."));
        case TOO_MANY ->
            Optional.of(
                new Handshake.Refused(
                    RefusalReason.BUSY,
                    "This node has recorded "
                        + settings.key("peers-max")
                        + " other nodes and accepts no more."));
        case NOT_WRITTEN ->
            Optional.of(
                new Handshake.Refused(
                    RefusalReason.BUSY,
                    "This node cannot record the identity of node " + peer + " now."));
      };
    }
  }

  private final PeerIdentities identities;
  private final Predicate<NodeId> isMember;
  private final int peersMax;
  private final PeerEvents events;
  private final ThreadPoolExecutor writer;
  private final AtomicBoolean following = new AtomicBoolean();

  /**
   * @param isMember whether a group of this node has a peer as a member
   * @param writer an executor with one thread and a bounded queue
   */
  IdentityWriter(
      PeerIdentities identities,
      Predicate<NodeId> isMember,
      int peersMax,
      PeerEvents events,
      ThreadPoolExecutor writer) {
    this.identities = identities;
    this.isMember = isMember;
    this.peersMax = peersMax;
    this.events = events;
    this.writer = writer;
  }

  /**
   * Records the identity of a peer durably, if it is not recorded, unless it is a stranger.
   *
   * @param loop the event loop of the caller
   * @param callback called on that loop, immediately if no write is necessary
   */
  void learn(LocalIdentity peer, EventLoop loop, Consumer<Result> callback) {
    PeerIdentities.Standing standing = identities.standing(peer);
    if (standing == PeerIdentities.Standing.UNKNOWN) {
      if (identities.isStranger(peer.node()) && !isMember.test(peer.node())) {
        callback.accept(Result.STRANGER);
        return;
      }
      write(peer.node(), loop, callback, () -> identities.learn(peer));
    } else {
      callback.accept(Result.of(standing));
    }
  }

  /** The same, for a peer that has accepted this node. */
  void learnAcceptance(LocalIdentity peer, EventLoop loop, Consumer<Result> callback) {
    if (identities.isAcceptedBy(peer.node())
        && identities.standing(peer) != PeerIdentities.Standing.UNKNOWN) {
      learn(peer, loop, callback);
      return;
    }
    write(
        peer.node(),
        loop,
        result -> {
          if (result == Result.KNOWN) {
            events.acceptedBy(peer.node());
          }
          callback.accept(result);
        },
        () -> identities.learnAcceptance(peer));
  }

  /** Records what the topology has registered by now; see {@link PeerIdentities#follow}. */
  void follow() {
    if (!identities.isBehind(isMember) || !following.compareAndSet(false, true)) {
      return;
    }
    try {
      writer.execute(
          () -> {
            try {
              identities.follow(isMember);
            } catch (IOException e) {
              events.failed(e);
            } finally {
              following.set(false);
            }
          });
    } catch (RejectedExecutionException e) {
      // The next call tries again, unless the transport closes.
      following.set(false);
    }
  }

  /** Another node has shown that this one has an older copy of its disk. Does not block. */
  void outdated(String sentence) {
    identities.outdated(sentence);
  }

  private interface Write {
    PeerIdentities.Standing run() throws IOException;
  }

  private void write(NodeId peer, EventLoop loop, Consumer<Result> callback, Write write) {
    try {
      writer.execute(
          () -> {
            Result result = written(peer, write);
            loop.execute(() -> callback.accept(result));
          });
    } catch (RejectedExecutionException e) {
      // A transport that closes also closes its connections.
      if (!writer.isShutdown()) {
        callback.accept(Result.NOT_WRITTEN);
      }
    }
  }

  private Result written(NodeId peer, Write write) {
    if (identities.diskOf(peer).isEmpty() && identities.size() >= peersMax) {
      return Result.TOO_MANY;
    }
    try {
      return Result.of(write.run());
    } catch (IOException e) {
      events.failed(e);
      return Result.NOT_WRITTEN;
    }
  }
}
