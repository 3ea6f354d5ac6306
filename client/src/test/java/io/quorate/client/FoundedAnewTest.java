package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster is built anew under its former name while a client is open. */
@Timeout(60)
class FoundedAnewTest {
  private static final String HOST = "127.0.0.1";

  private static AsyncQuorateClient client(String seeds) {
    return AsyncQuorateClient.open(
        ClientOptions.builder(seeds)
            .deadline(Duration.ofSeconds(20))
            .attemptTimeout(Duration.ofSeconds(5))
            .build());
  }

  /** The former cluster had newer descriptions of its regions, and more of them. */
  @Test
  void aClientFollowsItsSeedToTheNewCluster() {
    FakeCluster former = FakeCluster.start(1, "m");
    int port = former.node(1).port();
    try (AsyncQuorateClient client = client(former.addresses())) {
      former.raiseEpoch(1);
      client.put(bytes("a"), bytes("former")).join();
      client.put(bytes("z"), bytes("former")).join();
      former.close();
      try (FakeCluster present = FakeCluster.startAt(HOST, port)) {
        assertThat(client.get(bytes("z")).join()).isEmpty();
        client.put(bytes("z"), bytes("present")).join();
        assertThat(text(client.get(bytes("z")).join())).contains("present");
        assertThat(present.value("z")).contains("present");
        assertThat(present.duplicates()).isZero();
      }
    }
  }

  /** Its effect may be in what was loaded into the new cluster. */
  @Test
  void aWriteThatTheFormerClusterMayHaveExecutedIsNotRepeated() {
    FakeCluster former = FakeCluster.start(1);
    int port = former.node(1).port();
    try (AsyncQuorateClient client = client(former.addresses())) {
      client.put(bytes("a"), bytes("v")).join();
      former.node(1).always(Opcode.WRITE, Reaction.executeThenSwallow());
      CompletableFuture<Void> inDoubt =
          client.put(bytes("b"), bytes("v")).thenAccept(position -> {});
      await().until(() -> former.value("b").isPresent());
      former.close();
      try (FakeCluster present = FakeCluster.startAt(HOST, port)) {
        assertThat(failure(inDoubt))
            .isInstanceOf(IndeterminateException.class)
            .hasMessageContaining("founded anew");
        client.put(bytes("c"), bytes("v")).join();
        assertThat(present.value("b")).isEmpty();
        assertThat(present.value("c")).contains("v");
      }
    }
  }

  /** Two clusters of one name run, and both are seeds. */
  @Test
  void aClientStaysWithTheClusterThatItIsConnectedTo() {
    try (FakeCluster one = FakeCluster.start(1);
        FakeCluster other = FakeCluster.start(1);
        AsyncQuorateClient client = client(one.addresses() + "," + other.addresses())) {
      for (int i = 0; i < 10; i++) {
        client.put(bytes("k" + i), bytes("v")).join();
        client.status().join();
      }
      FakeCluster used = one.value("k0").isPresent() ? one : other;
      for (int i = 0; i < 10; i++) {
        assertThat(used.value("k" + i)).contains("v");
      }
    }
  }

  /** What listens there is none of the addresses that the application has given. */
  @Test
  void aNodeThatIsNoSeedIsNotFollowed() {
    FakeCluster former = FakeCluster.start(2);
    int port = former.node(2).port();
    try (AsyncQuorateClient client = client(former.node(1).address())) {
      former.setLeader(1, "n2");
      client.put(bytes("a"), bytes("v")).join();
      former.close();
      try (FakeCluster present = FakeCluster.startAt(HOST, port).foundedAs(UUID.randomUUID())) {
        AsyncQuorateClient brief = client.withDeadline(Duration.ofSeconds(3));
        assertThat(failure(brief.put(bytes("b"), bytes("v"))))
            .isInstanceOf(UnavailableException.class);
        assertThat(present.value("b")).isEmpty();
      }
    }
  }
}
