package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.Test;

/**
 * Requests with a configuration at a candidate, with a server that waits for the end of its
 * election as Ratis does, and an election that needs the monitor of the replica to end.
 */
class WaitingForElectionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final AppendEntriesRequestProto REQUEST =
      AppendEntriesRequestProto.newBuilder()
          .addEntries(
              LogEntryProto.newBuilder()
                  .setIndex(7)
                  .setConfigurationEntry(RaftConfigurationProto.getDefaultInstance()))
          .build();

  private final List<Integer> entered = new ArrayList<>();
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private volatile RaftPeerRole role = RaftPeerRole.CANDIDATE;
  private AppendResult result = AppendResult.SUCCESS;
  private final RaftServer.Division division = division();

  private final CompletableFuture<Void> election =
      CompletableFuture.runAsync(
          () -> {
            try {
              mayEnd.await();
            } catch (InterruptedException e) {
              throw new CompletionException(e);
            }
            synchronized (division) {
              assertThat(role).isNotEqualTo(RaftPeerRole.LEADER);
            }
          });

  @Test
  void theElectionEndsBeforeTheConfigurationEnters() {
    assertThat(append()).succeedsWithin(PATIENCE);
    assertThat(role).isEqualTo(RaftPeerRole.FOLLOWER);
    assertThat(entered).containsExactly(0, 1);
  }

  @Test
  void aFollowerReceivesTheRequestOnly() {
    role = RaftPeerRole.FOLLOWER;
    assertThat(append()).succeedsWithin(PATIENCE);
    assertThat(entered).containsExactly(1);
  }

  /** The candidate does not follow a leader of an earlier term. */
  @Test
  void aRequestOfAFormerLeaderIsRejected() {
    result = AppendResult.NOT_LEADER;
    assertThat(append())
        .succeedsWithin(PATIENCE)
        .satisfies(
            reply -> {
              assertThat(reply.getResult()).isEqualTo(AppendResult.NOT_LEADER);
              assertThat(reply.getIsHearbeat()).isFalse();
            });
    assertThat(entered).containsExactly(0);
    mayEnd.countDown();
  }

  private CompletableFuture<AppendEntriesReplyProto> append() {
    return CompletableFuture.supplyAsync(
            () -> {
              try {
                return LogConfiguration.append(server(), division, REQUEST);
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            })
        .thenCompose(reply -> reply);
  }

  private RaftServer server() {
    return proxy(
        RaftServer.class,
        (proxy, method, arguments) -> enter((AppendEntriesRequestProto) arguments[0]));
  }

  private CompletableFuture<AppendEntriesReplyProto> enter(AppendEntriesRequestProto request) {
    boolean waits;
    synchronized (division) {
      entered.add(request.getEntriesCount());
      waits = result == AppendResult.SUCCESS && role != RaftPeerRole.FOLLOWER;
      role = waits ? RaftPeerRole.FOLLOWER : role;
    }
    if (waits) {
      mayEnd.countDown();
      election.join();
    }
    return CompletableFuture.completedFuture(
        AppendEntriesReplyProto.newBuilder()
            .setResult(result)
            .setIsHearbeat(request.getEntriesCount() == 0)
            .build());
  }

  private RaftServer.Division division() {
    DivisionInfo info =
        proxy(DivisionInfo.class, (proxy, method, arguments) -> role == RaftPeerRole.FOLLOWER);
    RaftConfiguration members = proxy(RaftConfiguration.class, (proxy, method, arguments) -> 0L);
    RaftLog log = proxy(RaftLog.class, (proxy, method, arguments) -> false);
    return proxy(
        RaftServer.Division.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "getInfo" -> info;
              case "getRaftConf" -> members;
              case "getRaftLog" -> log;
              default -> throw new IllegalStateException("no " + method.getName());
            });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
