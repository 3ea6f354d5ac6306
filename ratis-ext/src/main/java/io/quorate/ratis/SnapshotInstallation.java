package io.quorate.ratis;

import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.model.GroupId;
import io.quorate.replication.snapshot.SnapshotFetcher;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.ProtoUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches and installs a snapshot when the leader announces that one is needed, and makes Ratis
 * detect that it is installed.
 *
 * <p>Ratis 3.3.0 detects an installed snapshot only when a leader notifies this replica once more.
 * If leadership has moved meanwhile to a replica that still has the whole log, that leader never
 * sends the notification, and its entries are rejected for as long as an installation is in
 * progress: for ever. So this replica repeats the notification to itself, in the name of the leader
 * it follows.
 */
final class SnapshotInstallation {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotInstallation.class);
  private static final LogLimit FAILING = new LogLimit();

  /** The source of snapshots of a region. */
  interface Source {
    GroupId region();

    CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader);
  }

  /** Replaces the state by a snapshot that was fetched. */
  interface Installer {
    /** Completes with the position of the new state; fails if the state was not replaced. */
    CompletableFuture<TermIndex> install(SnapshotFetcher.Fetched snapshot);
  }

  /** The log of this replica has what a snapshot contains, and must not be replaced by it. */
  static final class NotNeededException extends IOException {
    private static final long serialVersionUID = 1L;

    NotNeededException(TermIndex last) {
      super("No snapshot is needed; this replica has the log up to " + last);
    }
  }

  /** All files of a snapshot were received. */
  private static final Failpoint FETCHED = Failpoint.named("raft.snapshot.fetched");

  /** The state is replaced, and Ratis has not detected it. */
  private static final Failpoint INSTALLED = Failpoint.named("raft.snapshot.installed");

  private final Source source;
  private final Installer installer;
  private final Executor housekeeping;

  /** The entry that the leader announced, until Ratis has adopted the new state; null otherwise. */
  private volatile TermIndex announcement;

  /** Whether the new state is in place. */
  private volatile boolean installed;

  /**
   * @param housekeeping executes what waits for Ratis' locks
   */
  SnapshotInstallation(Source source, Installer installer, Executor housekeeping) {
    this.source = source;
    this.installer = installer;
    this.housekeeping = housekeeping;
  }

  /**
   * Completes a future only after the present call: Ratis 3.3.0 fails if the future is complete
   * before the call has left the division's monitor.
   */
  CompletableFuture<TermIndex> afterThisCall(
      RaftServer.Division division, CompletableFuture<TermIndex> future) {
    return future.whenCompleteAsync(
        (position, failure) -> {
          synchronized (division) {
            // The call that created the future has left the monitor.
          }
        },
        housekeeping);
  }

  /**
   * Fetches and installs a snapshot. Does not block. Ratis makes one call at a time.
   *
   * @param firstInLog the oldest entry that the leader still has
   */
  CompletableFuture<TermIndex> begin(RaftPeerId leader, TermIndex firstInLog) {
    installed = false;
    announcement = firstInLog;
    CompletableFuture<TermIndex> result = new CompletableFuture<>();
    fetch(leader)
        .thenCompose(
            snapshot -> {
              FETCHED.passed(snapshot.position());
              return installer.install(snapshot);
            })
        .whenComplete(
            (position, failure) -> {
              INSTALLED.passed(firstInLog);
              if (failure != null) {
                announcement = null;
                report(Failures.unwrap(failure));
                result.completeExceptionally(failure);
              } else {
                result.complete(position);
                installed = true;
              }
            });
    return result;
  }

  /** Ratis does not, and repeats the announcement. */
  private void report(Throwable failure) {
    if (failure instanceof NotNeededException) {
      return;
    }
    FAILING.log(
        leftOut ->
            LOG.warn(
                "Could not fetch or install a snapshot region={}: {}{}",
                source.region(),
                failure.getMessage(),
                LogLimit.text(leftOut)));
  }

  private CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader) {
    try {
      return source.fetch(leader);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IOException("This node is closing or fetches too many snapshots already.", e));
    }
  }

  /** Whether the state may differ from what Ratis assumes, so that the log must not be changed. */
  boolean isInProgress() {
    return announcement != null;
  }

  /** Records that Ratis has adopted the new state, unless a newer one is on its way. */
  void adopted() {
    if (installed) {
      installed = false;
      announcement = null;
    }
  }

  /** To be called every few milliseconds: makes Ratis adopt an installed state. */
  void repeatNotification(RaftServer server, RaftGroupId group) {
    TermIndex announced = announcement;
    if (announced == null || !installed) {
      return;
    }
    try {
      DivisionInfo info = server.getDivision(group).getInfo();
      // Read the term first: a leader with an older term than this replica's is rejected, whereas
      // with a newer term it would count as the leader of that term.
      long term = info.getCurrentTerm();
      RaftPeerId leader = info.getLeaderId();
      if (leader == null || leader.equals(server.getId())) {
        return;
      }
      InstallSnapshotReplyProto reply =
          server.installSnapshot(
              InstallSnapshotRequestProto.newBuilder()
                  .setServerRequest(
                      RaftRpcRequestProto.newBuilder()
                          .setRequestorId(leader.toByteString())
                          .setReplyId(server.getId().toByteString())
                          .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group)))
                  .setLeaderTerm(term)
                  .setNotification(
                      NotificationProto.newBuilder()
                          .setFirstAvailableTermIndex(announced.toProto()))
                  .build());
      if (reply.getResult() == InstallSnapshotResult.SNAPSHOT_INSTALLED) {
        LOG.info("Adopted an installed snapshot region={} leader={}", source.region(), leader);
      }
    } catch (IOException e) {
      // The member is closing, or between two terms; the next call tries again.
      LOG.debug("An installed snapshot is not adopted yet region={}", source.region(), e);
    }
  }
}
