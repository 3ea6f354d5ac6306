package io.quorate.ratis.heartbeat;

import io.quorate.common.DecodeException;
import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.ratis.rpc.RaftMessageHandlers.Following;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.ProtoUtils;
import org.apache.ratis.util.ReplicaExecutor;

/**
 * Receives the heartbeats of other nodes, and repeats each at this node's replicas of the groups
 * that it names, as a heartbeat without a commit index. A replica that does not follow the sender
 * in the term of the heartbeat receives none: so a heartbeat of a node elects and deposes nobody,
 * and one that is late has no effect beyond a postponed election.
 */
public final class HeartbeatReceiver {
  /** A heartbeat of another node was received. The subject is the node. */
  private static final Failpoint RECEIVED = Failpoint.named("raft.node-heartbeat.received");

  private final RaftServer server;
  private final Following following;
  private final BooleanSupplier mayWrite;
  private final Executor executor;

  /**
   * @param mayWrite whether the disk responds; otherwise the locks of Ratis may be held for long
   * @param executor executes what waits for these locks
   */
  public HeartbeatReceiver(
      RaftServer server, Following following, BooleanSupplier mayWrite, Executor executor) {
    this.server = server;
    this.following = following;
    this.mayWrite = mayWrite;
    this.executor = executor;
  }

  /**
   * Serves a heartbeat. Does not block.
   *
   * @return a bit for each group of the heartbeat, in the order there: whether the replica here
   *     follows the sender. Fails if the heartbeat is malformed, or this node has too much to do.
   */
  public CompletionStage<ByteBuffer> respond(NodeId from, ByteBuffer heartbeat) {
    try {
      RECEIVED.reached(from);
      List<GroupTerm> groups = GroupTerm.decode(heartbeat);
      return CompletableFuture.supplyAsync(() -> repeat(from, groups), executor)
          .thenCompose(accepted -> accepted);
    } catch (IOException | DecodeException | RejectedExecutionException e) {
      return CompletableFuture.failedFuture(new IOException(e.getMessage(), e));
    }
  }

  private CompletableFuture<ByteBuffer> repeat(NodeId from, List<GroupTerm> groups) {
    List<CompletableFuture<Boolean>> accepted = new ArrayList<>(groups.size());
    for (GroupTerm group : groups) {
      accepted.add(
          mayWrite.getAsBoolean() ? repeat(from, group) : CompletableFuture.completedFuture(false));
    }
    return CompletableFuture.allOf(accepted.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              BitSet bits = new BitSet(accepted.size());
              for (int i = 0; i < accepted.size(); i++) {
                bits.set(i, accepted.get(i).join());
              }
              return ByteBuffer.wrap(bits.toByteArray());
            });
  }

  private CompletableFuture<Boolean> repeat(NodeId from, GroupTerm group) {
    try {
      if (!following.follows(group.group(), from, group.term())) {
        return CompletableFuture.completedFuture(false);
      }
      return ReplicaExecutor.completingHere(() -> server.appendEntriesAsync(heartbeat(from, group)))
          .handle((reply, failure) -> failure == null && reply.getResult() == AppendResult.SUCCESS);
    } catch (IOException | RuntimeException e) {
      // There is no such replica, or it is being closed. The other groups have theirs.
      return CompletableFuture.completedFuture(false);
    }
  }

  private AppendEntriesRequestProto heartbeat(NodeId from, GroupTerm group) {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(RaftPeerId.valueOf(from.value()).toByteString())
                .setReplyId(server.getId().toByteString())
                .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group.group())))
        .setLeaderTerm(group.term())
        .setLeaderCommit(RaftLog.INVALID_LOG_INDEX)
        .setInitializing(false)
        .build();
  }
}
