package io.quorate.ratis.patches;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.server.RaftServer;

/**
 * Orders the append requests with entries that one replica receives: they enter its log one at a
 * time.
 *
 * <p>Ratis 3.3.0 checks term and log under a monitor, leaves the monitor, and then appends. If the
 * entries of a newer leader entered between the check and the append, the entries of the older
 * leader would replace them after they were acknowledged.
 *
 * <p>Thread-safe.
 *
 * <p>Upstream: not reported. Fails without it: {@code GuardedRaftServerTest}. Can go when Ratis
 * appends under the monitor under which it checks.
 */
public final class AppendSequence {
  /** Passes a request to Ratis. */
  public interface Append {
    CompletableFuture<AppendEntriesReplyProto> run() throws IOException;
  }

  /** Another operation that writes files of the log. */
  public interface Exclusive<T> {
    T run() throws IOException;
  }

  private final RaftServer.Division division;

  /** Completes when every request that has entered has completed. */
  private volatile CompletableFuture<Void> completed = CompletableFuture.completedFuture(null);

  AppendSequence(RaftServer.Division division) {
    this.division = division;
  }

  /**
   * Whether this sequence belongs to {@code other}: a group that was closed and reopened has a new
   * division with another log.
   */
  boolean belongsTo(RaftServer.Division other) {
    return division == other;
  }

  /**
   * Passes a request to Ratis. Blocks while another request enters the log.
   *
   * @return the reply of Ratis, completed once this request and all requests before it have
   *     completed. A failed request counts as completed: Ratis rejected it before it changed the
   *     log, or the log has failed, after which nothing is acknowledged.
   */
  public synchronized CompletableFuture<AppendEntriesReplyProto> append(Append request)
      throws IOException {
    CompletableFuture<Void> own = new CompletableFuture<>();
    // Set before Ratis receives the request, so that a candidate never considers the log idle too
    // early.
    completed = CompletableFuture.allOf(completed, own);
    CompletableFuture<Void> allUpToThis = completed;
    CompletableFuture<AppendEntriesReplyProto> reply = null;
    try {
      reply = request.run();
    } finally {
      if (reply == null) {
        own.complete(null);
      }
    }
    reply.whenComplete((done, failure) -> own.complete(null));
    CompletableFuture<AppendEntriesReplyProto> response = reply;
    return allUpToThis.thenCompose(done -> response);
  }

  /** Runs an operation while no request enters the log. Blocks while a request enters. */
  public synchronized <T> T runExclusively(Exclusive<T> operation) throws IOException {
    return operation.run();
  }

  /**
   * Whether every request that has entered has completed. If so, the flush index is correct for the
   * entries in the log. Does not block.
   */
  public boolean isIdle() {
    return completed.isDone();
  }
}
