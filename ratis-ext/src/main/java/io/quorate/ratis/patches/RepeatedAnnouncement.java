package io.quorate.ratis.patches;

import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.server.RaftServer;

/**
 * Lets a follower install a snapshot if the leader's log begins with the entry that follows the
 * follower's state. Ratis 3.3.0 responds that nothing is to be installed; the leader, whose log
 * does not have the entry before it, cannot send it either and repeats its announcement for ever. A
 * leader's log begins there when the first file of its term is the oldest that it has: a former
 * leader then has a state that ends with the term before.
 *
 * <p>Upstream: RATIS-2500, which lets the leader send entries in this state. Fails without it:
 * {@code GuardedRaftServerTest}. Can go when a release has RATIS-2500, and the appender of {@code
 * ratis.rpc} does what that one does.
 */
public final class RepeatedAnnouncement {
  private RepeatedAnnouncement() {}

  /** The announcement, of an entry beyond the one that follows this replica's state. */
  public static InstallSnapshotRequestProto beyondState(
      RaftServer.Division division, InstallSnapshotRequestProto request) {
    if (!request.hasNotification()) {
      return request;
    }
    NotificationProto notification = request.getNotification();
    TermIndexProto first = notification.getFirstAvailableTermIndex();
    if (first.getIndex() != division.getRaftLog().getSnapshotIndex() + 1) {
      return request;
    }
    return request.toBuilder()
        .setNotification(
            notification.toBuilder()
                .setFirstAvailableTermIndex(first.toBuilder().setIndex(first.getIndex() + 1)))
        .build();
  }
}
