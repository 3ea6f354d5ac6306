package io.quorate.ratis.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the read replies of a replica (L2). Any thread; does not block. */
final class ReplicaReadReplies {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaReadReplies.class);

  private final NodeId self;
  private final RaftServer.Division division;
  private final UnappliedWrites unappliedWrites;
  private final Supplier<Position> applied;
  private final BooleanSupplier isMember;
  private final Executor files;
  private final AtomicBoolean catchingUp = new AtomicBoolean();

  /**
   * @param applied the last position that was delivered to the state machine
   * @param isMember whether the configurations in the log can mean this replica
   * @param files executes longer reads of the log
   */
  ReplicaReadReplies(
      NodeId self,
      RaftServer.Division division,
      UnappliedWrites unappliedWrites,
      Supplier<Position> applied,
      BooleanSupplier isMember,
      Executor files) {
    this.self = self;
    this.division = division;
    this.unappliedWrites = unappliedWrites;
    this.applied = applied;
    this.isMember = isMember;
    this.files = files;
  }

  Position applied() {
    return applied.get();
  }

  /** The index of the latest configuration in the log. */
  long epoch() {
    return division.getRaftConf().getLogEntryIndex();
  }

  /** Read replies for all scopes as of one moment; none if this replica may not give any now. */
  List<ReadReply<Void>> take(List<KeyScope> scopes) {
    // Taken first: an entry that is applied meanwhile is then reported as pending, or the position
    // of the reply is later.
    Position at = applied.get();
    Optional<UnappliedWrites.Pending> pending = unappliedWrites.pending(scopes, at);
    if (pending.isEmpty()) {
      if (unappliedWrites.isBehind(at)) {
        catchUp(at);
      }
      return List.of();
    }
    // Taken after the log was read, because Ratis adopts a configuration before it is in a
    // follower's log.
    RaftConfiguration configuration = division.getRaftConf();
    if (!mayReply(configuration, pending.get())) {
      return List.of();
    }
    unappliedWrites.observeConfiguration(configuration.getLogEntryIndex());
    int quorum = configuration.getCurrentPeers().size() / 2 + 1;
    List<ReadReply<Void>> replies = new ArrayList<>(scopes.size());
    for (Position position : pending.get().positions()) {
      replies.add(
          new ReadReply<>(
              self,
              configuration.getLogEntryIndex(),
              quorum,
              pending.get().applied(),
              position,
              null));
    }
    return replies;
  }

  /**
   * Only voters count (L2). During a configuration change, majorities of two configurations would
   * be needed (L8), and a leader that has appended a configuration to its log adopts it a moment
   * later.
   */
  private boolean mayReply(RaftConfiguration configuration, UnappliedWrites.Pending pending) {
    return isMember.getAsBoolean()
        && configuration.getPreviousPeers().isEmpty()
        && configuration.getLogEntryIndex() >= pending.configuration()
        && configuration.getCurrentPeers().stream()
            .anyMatch(peer -> peer.getId().toString().equals(self.value()));
  }

  /** Reads in the background what would take too long on the calling thread. */
  private void catchUp(Position at) {
    if (!catchingUp.compareAndSet(false, true)) {
      return;
    }
    try {
      files.execute(
          () -> {
            try {
              unappliedWrites.catchUp(at);
            } finally {
              catchingUp.set(false);
            }
          });
    } catch (RejectedExecutionException e) {
      catchingUp.set(false);
      LOG.debug("The log is not read for read replies: this node is closing or busy", e);
    }
  }
}
