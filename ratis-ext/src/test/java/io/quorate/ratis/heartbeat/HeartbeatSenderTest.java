package io.quorate.ratis.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.leader.FollowerInfo;
import org.junit.jupiter.api.Test;

class HeartbeatSenderTest {
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  private record Sent(NodeId to, List<GroupTerm> groups, CompletableFuture<ByteBuffer> response) {}

  private final AtomicLong nanos = new AtomicLong();
  private final List<Sent> sent = new ArrayList<>();
  private final List<RaftGroupId> responded = new ArrayList<>();
  private final HeartbeatSender sender = new HeartbeatSender(this::send, nanos::get);

  private CompletableFuture<ByteBuffer> send(NodeId to, ByteBuffer heartbeat) {
    Sent message = new Sent(to, GroupTerm.decode(heartbeat), new CompletableFuture<>());
    sent.add(message);
    return message.response();
  }

  private List<IdleFollower> followers(NodeId node, int count) {
    List<IdleFollower> followers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      RaftGroupId group = RaftGroupId.randomId();
      FollowerInfo info =
          (FollowerInfo)
              Proxy.newProxyInstance(
                  FollowerInfo.class.getClassLoader(),
                  new Class<?>[] {FollowerInfo.class},
                  (proxy, called, arguments) -> {
                    assertThat(called.getName()).isEqualTo("updateLastRpcResponseTime");
                    responded.add(group);
                    return null;
                  });
      followers.add(new IdleFollower(group, i, node, info));
    }
    return followers;
  }

  @Test
  void eachNodeReceivesOneHeartbeatForItsGroups() {
    List<IdleFollower> idle = followers(N2, HeartbeatSender.GROUPS_MIN);
    idle.addAll(followers(N3, HeartbeatSender.GROUPS_MIN - 1));
    sender.tick(idle);
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).to()).isEqualTo(N2);
    assertThat(sent.get(0).groups())
        .containsExactlyElementsOf(
            idle.subList(0, HeartbeatSender.GROUPS_MIN).stream()
                .map(each -> new GroupTerm(each.group(), each.term()))
                .toList());
  }

  /** The others send their own heartbeats. */
  @Test
  void aResponseCountsForTheGroupsThatAcceptedIt() {
    List<IdleFollower> idle = followers(N2, 10);
    sender.tick(idle);
    BitSet accepted = new BitSet();
    accepted.set(0);
    accepted.set(9);
    sent.get(0).response().complete(ByteBuffer.wrap(accepted.toByteArray()));
    assertThat(responded).containsExactly(idle.get(0).group(), idle.get(9).group());
    assertThat(sender.shared()).isEqualTo(2);
  }

  @Test
  void aNodeReceivesOneHeartbeatAtATime() {
    List<IdleFollower> idle = followers(N2, 10);
    sender.tick(idle);
    sender.tick(idle);
    assertThat(sent).hasSize(1);
    sent.get(0).response().complete(ByteBuffer.allocate(0));
    sender.tick(idle);
    assertThat(sent).hasSize(2);
  }

  @Test
  void aNodeThatDoesNotRespondIsSparedForAWhile() {
    List<IdleFollower> idle = followers(N2, 10);
    idle.addAll(followers(N3, 10));
    sender.tick(idle);
    sent.forEach(message -> message.response().completeExceptionally(new IOException("lost")));
    sender.tick(idle);
    assertThat(sent).hasSize(2);
    assertThat(responded).isEmpty();
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    sender.tick(idle);
    assertThat(sent).hasSize(4);
  }
}
