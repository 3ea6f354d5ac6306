package io.quorate.ratis.rpc;

import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;

/**
 * Announces snapshots without blocking, which Ratis' interface of a transport does not offer.
 * {@link PipelinedLogAppender} requires it of the asynchronous side of its transport.
 */
interface SnapshotAnnouncements {
  /**
   * Announces a snapshot. Does not block.
   *
   * @return the response, completed on an event loop; fails with an {@link java.io.IOException}
   */
  CompletableFuture<InstallSnapshotReplyProto> installSnapshotAsync(
      InstallSnapshotRequestProto request);
}
