package io.quorate.ratis;

import io.quorate.consensus.snapshot.SnapshotFetcher;
import io.quorate.failpoint.Failpoint;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
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
 * Brings a snapshot in when the leader says that one is needed, and makes Ratis notice that it is
 * there.
 *
 * <p>Ratis 3.3.0 takes an installed snapshot up only when a leader notifies this replica once more.
 * If leadership has moved meanwhile to a replica that still has the whole log, that one never will,
 * and its entries are refused for as long as an installation is under way: for ever. So this
 * replica repeats the notification to itself, in the name of the leader it follows.
 */
final class SnapshotInstallation {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotInstallation.class);

  /** Where snapshots come from. */
  interface Source {
    CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader);
  }

  /** Puts a snapshot that has arrived in the place of the state. */
  interface Installer {
    /** Completes with the position that the state stands at; fails if it was not replaced. */
    CompletableFuture<TermIndex> install(SnapshotFetcher.Fetched snapshot);
  }

  /** All files of a snapshot have arrived. */
  private static final Failpoint FETCHED = Failpoint.named("raft.snapshot.fetched");

  /** The state is replaced, and Ratis does not know. */
  private static final Failpoint INSTALLED = Failpoint.named("raft.snapshot.installed");

  private final Source source;
  private final Installer installer;

  /** What the leader announced, from then on until Ratis has taken up the new state. */
  private volatile TermIndex underWay;

  /** Whether the new state is in place. */
  private volatile boolean installed;

  SnapshotInstallation(Source source, Installer installer) {
    this.source = source;
    this.installer = installer;
  }

  /**
   * Fetches and installs. Does not block. Ratis calls this once at a time.
   *
   * @param firstInLog the oldest entry that the leader still has
   */
  CompletableFuture<TermIndex> begin(RaftPeerId leader, TermIndex firstInLog) {
    underWay = firstInLog;
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
                underWay = null;
                result.completeExceptionally(failure);
              } else {
                result.complete(position);
                installed = true;
              }
            });
    return result;
  }

  private CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader) {
    try {
      return source.fetch(leader);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IOException("This node is closing or fetches too many snapshots already.", e));
    }
  }

  /** Whether the state and Ratis' idea of it may differ, so that the log must be left alone. */
  boolean isUnderWay() {
    return underWay != null;
  }

  /** Ratis has taken up the new state. */
  void takenUp() {
    installed = false;
    underWay = null;
  }

  /** To be called every few milliseconds: makes Ratis take up what is installed. */
  void remind(RaftServer server, RaftGroupId group) {
    TermIndex announced = underWay;
    if (announced == null || !installed) {
      return;
    }
    try {
      DivisionInfo info = server.getDivision(group).getInfo();
      // The term first: a leader with a term that is older than its own is refused, one with a
      // newer term would be taken for the leader of that term.
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
        LOG.info("Took up an installed snapshot region={} leader={}", group, leader);
      }
    } catch (IOException e) {
      // Closing, or between two terms; there is another time.
      LOG.debug("An installed snapshot is not taken up yet region={}", group, e);
    }
  }
}
