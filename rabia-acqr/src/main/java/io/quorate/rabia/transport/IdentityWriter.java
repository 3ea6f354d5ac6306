package io.quorate.rabia.transport;

import io.netty.channel.EventLoop;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/**
 * Has identities written down off the event loops, and tells of it on them. A peer that is known
 * costs no write and no other thread.
 */
final class IdentityWriter {

  /** What is known of a peer now, durably. */
  enum Result {
    /** It goes by the disk it greeted with. */
    KNOWN,
    /** It goes by another one. */
    OTHER,
    /** Nothing: there are too many peers. */
    TOO_MANY,
    /** Nothing: it could not be written, or not now. */
    NOT_WRITTEN;

    /** Why a peer is refused after this, if it is. */
    Optional<Greeting.Refused> refusal(NodeId peer) {
      return switch (this) {
        case KNOWN -> Optional.empty();
        case OTHER ->
            Optional.of(
                new Greeting.Refused(
                    RefusalReason.DISK,
                    "Node "
                        + peer
                        + " has greeted with another disk before: its disk was replaced or emptied,"
                        + " and it must not vote as if it remembered. Replace the node by one with"
                        + " a new id and an empty directory."));
        case TOO_MANY ->
            Optional.of(
                new Greeting.Refused(
                    RefusalReason.BUSY,
                    "This node knows rabia.peers-max other nodes and takes no more."));
        case NOT_WRITTEN ->
            Optional.of(
                new Greeting.Refused(
                    RefusalReason.BUSY,
                    "This node cannot write down the identity of node " + peer + " now."));
      };
    }
  }

  private final PeerIdentities identities;
  private final int peersMax;
  private final PeerEvents events;
  private final ThreadPoolExecutor writer;

  /**
   * @param writer one thread with a bounded queue
   */
  IdentityWriter(
      PeerIdentities identities, int peersMax, PeerEvents events, ThreadPoolExecutor writer) {
    this.identities = identities;
    this.peersMax = peersMax;
    this.events = events;
    this.writer = writer;
  }

  /**
   * Makes sure that a peer is known durably.
   *
   * @param loop the calling one
   * @param then called on the loop, at once if nothing has to be written
   */
  void learn(NodeId peer, UUID disk, EventLoop loop, Consumer<Result> then) {
    switch (identities.standing(peer, disk)) {
      case KNOWN -> then.accept(Result.KNOWN);
      case OTHER -> then.accept(Result.OTHER);
      case UNKNOWN -> write(peer, loop, then, () -> identities.learn(peer, disk));
    }
  }

  /** The same, for a peer that has accepted this node. */
  void learnAcceptance(NodeId peer, UUID disk, EventLoop loop, Consumer<Result> then) {
    if (identities.isAcceptedBy(peer)) {
      learn(peer, disk, loop, then);
      return;
    }
    write(
        peer,
        loop,
        result -> {
          if (result == Result.KNOWN) {
            events.acceptedBy(peer);
          }
          then.accept(result);
        },
        () -> identities.learnAcceptance(peer, disk));
  }

  private interface Write {
    boolean run() throws IOException;
  }

  private void write(NodeId peer, EventLoop loop, Consumer<Result> then, Write write) {
    try {
      writer.execute(
          () -> {
            Result result = written(peer, write);
            loop.execute(() -> then.accept(result));
          });
    } catch (RejectedExecutionException e) {
      // When the transport closes, so do its connections.
      if (!writer.isShutdown()) {
        then.accept(Result.NOT_WRITTEN);
      }
    }
  }

  private Result written(NodeId peer, Write write) {
    if (identities.diskOf(peer).isEmpty() && identities.size() >= peersMax) {
      return Result.TOO_MANY;
    }
    try {
      return write.run() ? Result.KNOWN : Result.OTHER;
    } catch (IOException e) {
      events.failed(e);
      return Result.NOT_WRITTEN;
    }
  }
}
