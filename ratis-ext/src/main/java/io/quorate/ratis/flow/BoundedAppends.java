package io.quorate.ratis.flow;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.util.ProtoUtils;
import org.apache.ratis.util.ReplicaExecutor;

/**
 * Rejects entries for a group whose state machine is too far behind its log. The rest of such a
 * request is passed to Ratis: the leader is recognised, the election timer restarts, and committed
 * entries are applied. Does not block by itself.
 */
public final class BoundedAppends implements RaftServerAsynchronousProtocol {
  private final RaftServerAsynchronousProtocol server;
  private final Predicate<RaftGroupId> isFull;

  /**
   * @param server of Ratis
   * @param isFull whether a group of this node takes no entries now; any thread, does not block
   */
  public BoundedAppends(RaftServerAsynchronousProtocol server, Predicate<RaftGroupId> isFull) {
    this.server = server;
    this.isFull = isFull;
  }

  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) throws IOException {
    RaftGroupId group = ProtoUtils.toRaftGroupId(request.getServerRequest().getRaftGroupId());
    if (!isFull.test(group)) {
      return append(request);
    }
    return request.getEntriesCount() == 0
        ? append(request).thenApply(Backpressure::marked)
        : append(Backpressure.withoutEntries(request))
            .thenApply(reply -> Backpressure.refusal(request, reply));
  }

  private CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto request)
      throws IOException {
    return ReplicaExecutor.completingHere(() -> server.appendEntriesAsync(request));
  }

  /** Is not called: reads do not go through Ratis. */
  @Override
  public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request) {
    throw new UnsupportedOperationException("Reads do not go through Ratis.");
  }
}
