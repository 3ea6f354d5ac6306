package io.quorate.ratis.read;

import io.quorate.model.Position;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.LogAppender;

/**
 * A round of confirmations, in flight or to begin, and the future of the reads that share it.
 * Guarded by the lock of {@link ReadIndex}.
 */
final class ReadRound {
  /** Completed without the lock. */
  final CompletableFuture<Position> readIndex = new CompletableFuture<>();

  /** The followers of which the round needs a heartbeat. */
  final Set<LogAppender> heartbeats = new HashSet<>();

  /** Exists from the beginning of the round on, as the two below. */
  ConfirmationRound<RaftPeerId, LogAppender> votes;

  /** The commit index at the beginning. */
  Position committed;

  long startedNanos;

  /** The index of the configuration whose majorities have confirmed the round. */
  long confirmedBy;

  /** The followers of which confirmations were requested. */
  final Set<LogAppender> requested = new HashSet<>();

  /** Whether confirmations were requested of all followers. */
  boolean isWide;

  /** Whether heartbeats have been requested because confirmations were late. */
  boolean isLate;
}
