package io.quorate.ratis.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replica's shares (PROTOCOLS L2). Any thread; does not block. */
final class ReplicaShares {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaShares.class);

  private final NodeId self;
  private final RaftServer.Division division;
  private final LogIntents intents;
  private final Supplier<Position> applied;
  private final Executor files;
  private final AtomicBoolean catchingUp = new AtomicBoolean();

  /**
   * @param applied up to where the state machine was handed the log
   * @param files for reading much of the log
   */
  ReplicaShares(
      NodeId self,
      RaftServer.Division division,
      LogIntents intents,
      Supplier<Position> applied,
      Executor files) {
    this.self = self;
    this.division = division;
    this.intents = intents;
    this.applied = applied;
    this.files = files;
  }

  Position applied() {
    return applied.get();
  }

  /** The index of the latest configuration in the log. */
  long epoch() {
    return division.getRaftConf().getLogEntryIndex();
  }

  /** Shares of all scopes at one moment; none if this replica may not give any now. */
  List<Share<Void>> take(List<KeyScope> scopes) {
    // First: what is applied meanwhile is then reported as pending, or the share's position is
    // later.
    Position at = applied.get();
    Optional<LogIntents.Pending> pending = intents.pending(scopes, at);
    if (pending.isEmpty()) {
      if (intents.isBehind(at)) {
        catchUp(at);
      }
      return List.of();
    }
    // After the log was read: Ratis takes a configuration over before it is in a follower's log.
    RaftConfiguration configuration = division.getRaftConf();
    if (!mayAnswer(configuration, pending.get())) {
      return List.of();
    }
    intents.sawConfiguration(configuration.getLogEntryIndex());
    int quorum = configuration.getCurrentPeers().size() / 2 + 1;
    List<Share<Void>> shares = new ArrayList<>(scopes.size());
    for (Position position : pending.get().positions()) {
      shares.add(
          new Share<>(
              self,
              configuration.getLogEntryIndex(),
              quorum,
              pending.get().applied(),
              position,
              null));
    }
    return shares;
  }

  /**
   * Only voters count (L2). While members change, majorities of two configurations would be needed
   * (L8), and a leader that has put a configuration in its log takes it over a moment later.
   */
  private boolean mayAnswer(RaftConfiguration configuration, LogIntents.Pending pending) {
    return configuration.getPreviousPeers().isEmpty()
        && configuration.getLogEntryIndex() >= pending.configuration()
        && configuration.getCurrentPeers().stream()
            .anyMatch(peer -> peer.getId().toString().equals(self.value()));
  }

  /** Reads in the background what would take too long now. */
  private void catchUp(Position at) {
    if (!catchingUp.compareAndSet(false, true)) {
      return;
    }
    try {
      files.execute(
          () -> {
            try {
              intents.catchUp(at);
            } finally {
              catchingUp.set(false);
            }
          });
    } catch (RejectedExecutionException e) {
      catchingUp.set(false);
      LOG.debug("The log is not read for shares: this node is closing or busy", e);
    }
  }
}
