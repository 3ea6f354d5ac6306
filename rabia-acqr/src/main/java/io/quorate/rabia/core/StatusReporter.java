package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Message;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports the progress of this replica, so that the others detect replicas that are behind (T3).
 * Reports are sent at the status interval while the group executes slots, and at increasing
 * intervals while it does not. A group in which every member is known to have executed the same
 * slots sends none. A replica that is no member always sends them.
 */
final class StatusReporter {
  private static final int DOUBLINGS_MAX = 4;

  /** The minimum number of status intervals between two responses to the same peer. */
  private static final int RESPONSE_INTERVALS = 10;

  private final Context context;
  private final SlotExecutor execution;
  private final Map<NodeId, Long> respondedAt = new HashMap<>();
  private long reported = Long.MIN_VALUE;
  private long reportedAt;
  private long dueAt;
  private int doublings;

  StatusReporter(Context context, SlotExecutor execution) {
    this.context = context;
    this.execution = execution;
  }

  /** Sends a report immediately. */
  void start() {
    dueAt = context.now;
    tick();
  }

  /** When the next report is due; {@link Long#MAX_VALUE} while none is. */
  long dueAt() {
    return dueAt;
  }

  /** Sends a report if one is due. */
  void tick() {
    if (context.now - dueAt >= 0) {
      send();
    }
  }

  private void send() {
    long executed = execution.executed().index();
    doublings = executed == reported ? Math.min(DOUBLINGS_MAX, doublings + 1) : 0;
    reported = executed;
    reportedAt = context.now;
    context.effects.send(
        context.configurations.others(), new Message.Status(execution.executed()), Lsn.START);
    schedule();
  }

  /**
   * Ensures that new progress is reported within the status interval. Called at the end of every
   * step.
   */
  void finishStep() {
    if (execution.executed().index() != reported) {
      doublings = 0;
      schedule();
    }
  }

  /** Processes the report of a peer. */
  void received(NodeId peer, long executedThere) {
    context.peers.reported(peer, executedThere);
    long executed = execution.executed().index();
    if (!context.configurations.others().contains(peer)) {
      if (executedThere < executed) {
        // A replica that is to become a member needs the progress of the group.
        context.effects.send(peer, new Message.Status(execution.executed()));
      }
      return;
    }
    if (executedThere < executed) {
      doublings = 0;
    } else if (executedThere == executed && reported == executed) {
      respond(peer);
    }
    schedule();
  }

  /** Sends a report to a peer that has reconnected, because earlier ones may be lost. */
  void connected(NodeId peer) {
    context.effects.send(peer, new Message.Status(execution.executed()));
  }

  /** Responds to a peer that may lack the last report, because it was lost or the peer is new. */
  private void respond(NodeId peer) {
    long interval = RESPONSE_INTERVALS * context.settings.timing().status();
    long last = Math.max(reportedAt, respondedAt.getOrDefault(peer, context.now - interval));
    if (context.now - last >= interval) {
      respondedAt.put(peer, context.now);
      context.effects.send(peer, new Message.Status(execution.executed()));
    }
  }

  private void schedule() {
    dueAt =
        isQuiet() ? Long.MAX_VALUE : reportedAt + (context.settings.timing().status() << doublings);
  }

  /**
   * Whether a report would contain nothing new for any member. A replica that is to become a member
   * is never quiet: members respond to its reports, and send it none of their own.
   */
  private boolean isQuiet() {
    if (!context.configurations.latest().includesSelf()) {
      return false;
    }
    long executed = execution.executed().index();
    return reported == executed
        && execution.delivered() == executed
        && context.configurations.others().stream()
            .allMatch(peer -> context.peers.executed(peer) == executed);
  }
}
