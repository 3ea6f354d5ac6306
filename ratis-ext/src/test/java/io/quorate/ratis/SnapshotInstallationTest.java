package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.snapshot.SnapshotFetcher;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.Test;

class SnapshotInstallationTest {
  private static final TermIndex POSITION = TermIndex.valueOf(3, 12);

  private CompletableFuture<TermIndex> position = CompletableFuture.completedFuture(POSITION);
  private long term = 4;
  private RaftPeerId leader = RaftPeerId.valueOf("old");
  private final List<InstallSnapshotRequestProto> notifications = new ArrayList<>();
  private final SnapshotInstallation installation =
      new SnapshotInstallation(
          new SnapshotInstallation.Source() {
            @Override
            public GroupId region() {
              return new GroupId(1);
            }

            @Override
            public CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId from) {
              return CompletableFuture.completedFuture(
                  new SnapshotFetcher.Fetched(Path.of("here"), new Position(3, 12), 0));
            }
          },
          snapshot -> position,
          Runnable::run);

  /** The log stays as it is until the newer one is taken up too. */
  @Test
  void theAdoptionOfASnapshotDoesNotEndTheInstallationOfANewerOne() {
    installation.begin(leader, TermIndex.valueOf(2, 10)).join();
    position = new CompletableFuture<>();
    installation.begin(leader, TermIndex.valueOf(2, 20));
    installation.adopted();
    assertThat(installation.isInProgress()).isTrue();
    installation.repeatNotification(server(), RaftGroupId.randomId());
    assertThat(notifications).isEmpty();

    position.complete(TermIndex.valueOf(3, 22));
    installation.repeatNotification(server(), RaftGroupId.randomId());
    assertThat(notifications).hasSize(1);
    installation.adopted();
    assertThat(installation.isInProgress()).isFalse();
  }

  /** The leader of an old term must not become the leader of the new term. */
  @Test
  void aRepeatedNotificationNamesNoLeaderOfAnEarlierTermThanItsOwn() {
    installation.begin(leader, TermIndex.valueOf(2, 10)).join();
    installation.repeatNotification(server(), RaftGroupId.randomId());
    assertThat(notifications).hasSize(1);
    InstallSnapshotRequestProto notification = notifications.get(0);
    assertThat(notification.getServerRequest().getRequestorId()).isEqualTo(leader.toByteString());
    assertThat(leader).isEqualTo(RaftPeerId.valueOf("new"));
    assertThat(notification.getLeaderTerm()).isEqualTo(4);
  }

  /** A server at which another leader is elected between any two queries of its state. */
  private RaftServer server() {
    DivisionInfo info =
        proxy(
            DivisionInfo.class,
            method -> {
              Object result =
                  switch (method) {
                    case "getCurrentTerm" -> (Object) term;
                    case "getLeaderId" -> leader;
                    default -> throw new IllegalStateException(method);
                  };
              term = 5;
              leader = RaftPeerId.valueOf("new");
              return result;
            });
    RaftServer.Division division = proxy(RaftServer.Division.class, method -> info);
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getDivision" -> division;
                  case "getId" -> RaftPeerId.valueOf("here");
                  case "installSnapshot" -> {
                    notifications.add((InstallSnapshotRequestProto) arguments[0]);
                    yield InstallSnapshotReplyProto.getDefaultInstance();
                  }
                  default -> throw new IllegalStateException(method.getName());
                });
  }

  private interface Results {
    Object of(String method);
  }

  private static <T> T proxy(Class<T> type, Results results) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> results.of(method.getName())));
  }
}
