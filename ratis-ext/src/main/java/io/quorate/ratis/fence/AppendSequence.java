package io.quorate.ratis.fence;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.server.RaftServer;

/**
 * The requests with entries that leaders send to one replica, in the order in which they enter its
 * log.
 *
 * <p>Ratis 3.3.0 replaces entries of a former leader in memory at once and puts the truncation of
 * the files into the queue of the log's writer. Until the writer gets there, the flush index is
 * that of the entries that are gone, and it counts for those in their place: for a follower that
 * finds them in its log when they are sent again, and for a leader that counts itself. A truncation
 * is part of the request that brings the entries in its place. Once all requests up to one have
 * completed, the flush index says the truth about the entries of that one.
 *
 * <p>Requests enter one at a time. Ratis checks term and log under a monitor, leaves it, and
 * appends. If the entries of a newer leader entered between the two, those of the older one would
 * replace them after they have been acknowledged.
 *
 * <p>Thread-safe.
 */
final class AppendSequence {
  /** Hands a request to Ratis. */
  interface Append {
    CompletableFuture<AppendEntriesReplyProto> run() throws IOException;
  }

  /** Something else that writes files of the log. */
  interface Exclusive<T> {
    T run() throws IOException;
  }

  private final RaftServer.Division division;

  /** Completes when every request that has entered has completed. */
  private volatile CompletableFuture<Void> completed = CompletableFuture.completedFuture(null);

  AppendSequence(RaftServer.Division division) {
    this.division = division;
  }

  /** A group that was closed and opened again has another log. */
  boolean isOf(RaftServer.Division other) {
    return division == other;
  }

  /**
   * Lets a request in. Blocks while another one is on its way in.
   *
   * @return the reply of Ratis, once this request and all before it have completed. A failed one
   *     counts as completed: Ratis refuses a request before it changes the log, or the log has
   *     failed, after which nothing is acknowledged.
   */
  synchronized CompletableFuture<AppendEntriesReplyProto> letIn(Append append) throws IOException {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    // Before Ratis sees the request, so that a candidate never takes the log for settled.
    completed = CompletableFuture.allOf(completed, mine);
    CompletableFuture<Void> upToHere = completed;
    CompletableFuture<AppendEntriesReplyProto> reply = null;
    try {
      reply = append.run();
    } finally {
      if (reply == null) {
        mine.complete(null);
      }
    }
    reply.whenComplete((done, failure) -> mine.complete(null));
    CompletableFuture<AppendEntriesReplyProto> answer = reply;
    return upToHere.thenCompose(settled -> answer);
  }

  /** Runs something while no request enters. Blocks while one does. */
  synchronized <T> T exclusively(Exclusive<T> what) throws IOException {
    return what.run();
  }

  /**
   * Whether every request that has entered has completed: then the flush index is that of the
   * entries in the log. Does not block.
   */
  boolean isSettled() {
    return completed.isDone();
  }
}
