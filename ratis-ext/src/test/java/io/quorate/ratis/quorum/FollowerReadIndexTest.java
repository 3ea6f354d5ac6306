package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Test;

/** Read indexes at a follower that cannot send a request to the leader. */
class FollowerReadIndexTest {
  private Supplier<Object> leader = () -> null;
  private final FollowerReadIndex index =
      new FollowerReadIndex(
          division(), null, null, new ReadMetrics(MetricsSink.NONE, new GroupId(1)));

  @Test
  void aReadFailsIfNoLeaderIsKnown() {
    assertThat(failure()).hasMessageContaining("knows of no leader");
  }

  /** Otherwise later reads would wait for a response that never arrives. */
  @Test
  void aRequestThatCannotBeSentDoesNotBlockTheNext() {
    leader =
        () -> {
          throw new IllegalStateException("closing");
        };
    assertThat(failure()).hasMessageContaining("closing");
    leader = () -> null;
    assertThat(failure()).hasMessageContaining("knows of no leader");
  }

  private Throwable failure() {
    CompletableFuture<?> read = index.readIndex().toCompletableFuture();
    assertThat(read).isCompletedExceptionally();
    Throwable failure = read.handle((done, thrown) -> thrown).join();
    assertThat(failure).isInstanceOf(ConsensusException.Unavailable.class);
    return failure;
  }

  private RaftServer.Division division() {
    DivisionInfo info =
        (DivisionInfo)
            Proxy.newProxyInstance(
                DivisionInfo.class.getClassLoader(),
                new Class<?>[] {DivisionInfo.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "isLeader" -> false;
                      case "getLeaderId" -> leader.get();
                      default -> throw new IllegalStateException(method.getName());
                    });
    return (RaftServer.Division)
        Proxy.newProxyInstance(
            RaftServer.Division.class.getClassLoader(),
            new Class<?>[] {RaftServer.Division.class},
            (proxy, method, arguments) -> info);
  }
}
