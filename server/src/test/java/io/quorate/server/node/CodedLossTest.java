package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores of bodies that lose records, fail or hang. Each test has a cluster of its own. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class CodedLossTest extends CodedFixture {
  private static final Failpoint BEFORE_SYNC = Failpoint.named("storage.bodies.before-sync");

  private final List<Thread> writers = new ArrayList<>();

  @AfterEach
  @Override
  void stop() {
    BEFORE_SYNC.off();
    super.stop();
  }

  private static Optional<ReplicaState.Bodies> bodies(AsyncQuorateClient client, int node) {
    return client.status().join().nodes().stream()
        .flatMap(report -> report.state().stream())
        .filter(state -> number(state.id()) == node)
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().equals(new GroupId(1)))
        .flatMap(replica -> replica.bodies().stream())
        .findFirst();
  }

  /**
   * With a node down, both others have to hold complete copies. One that is damaged comes back as a
   * complete copy: with a fragment in its place, the other node's disk could not be lost.
   */
  @Test
  void aDamagedCompleteCopyIsRestoredAsOne() throws IOException {
    start(3, "storage.body-repair-interval = 200ms");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("small"), value(1, 10)).join();
      int a = number(leader(async));
      int b = (a + 1) % 3;
      int c = (a + 2) % 3;
      nodes.get(c).close();
      async.put(key("k"), value(1, LARGE)).join();
      await()
          .atMost(TIMEOUT)
          .ignoreExceptions()
          .until(() -> bodies(async, b).map(ReplicaState.Bodies::complete).equals(Optional.of(1L)));
      nodes.get(b).close();
      damageContents(b);
      nodes.set(b, start(b));
      await()
          .atMost(TIMEOUT)
          .ignoreExceptions()
          .until(() -> bodies(async, b).map(ReplicaState.Bodies::complete).equals(Optional.of(1L)));
      nodes.get(a).close();
      nodes.set(c, start(c));
      assertThat(async.get(key("k")).join()).contains(value(1, LARGE));
      nodes.set(a, start(a));
    }
  }

  private void damageContents(int node) throws IOException {
    for (Path file : bodyFiles(node)) {
      byte[] bytes = Files.readAllBytes(file);
      for (int at = LARGE / 4; at < bytes.length; at += LARGE / 2) {
        bytes[at] ^= 1;
      }
      Files.write(file, bytes);
    }
  }

  /** Starts a cluster, and finds out which thread writes the bodies of which node. */
  private void startWithWriters() throws IOException {
    configure(3, "raft.disk-stall-timeout = 1s");
    for (int i = 0; i < 3; i++) {
      Set<Thread> before = bodyThreads();
      nodes.add(start(i));
      writers.addAll(bodyThreads().stream().filter(thread -> !before.contains(thread)).toList());
    }
    assertThat(writers).hasSize(3);
    nodes.forEach(ClusterFixture::awaitServing);
  }

  private static Set<Thread> bodyThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("quorate-bodies(-\\d+)?"))
        .collect(Collectors.toSet());
  }

  @Test
  void aLeaderWhoseBodiesCannotBeWrittenHandsOver() throws IOException {
    startWithWriters();
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("k"), value(1, LARGE)).join();
      NodeId leader = leader(async);
      Thread writer = writers.get(number(leader));
      BEFORE_SYNC.on(
          (point, records) -> {
            if (Thread.currentThread() == writer) {
              throw new IOException("one fsync has failed");
            }
          });
      for (int i = 0; i < 3; i++) {
        async.put(key("k" + i), value(i, LARGE)).join();
        assertThat(async.get(key("k" + i)).join()).contains(value(i, LARGE));
      }
      assertThat(leader(async)).isNotEqualTo(leader);
      BEFORE_SYNC.off();
    }
  }

  @Test
  void aLeaderWhoseBodiesHangHandsOver() throws IOException {
    startWithWriters();
    CountDownLatch release = new CountDownLatch(1);
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("k"), value(1, LARGE)).join();
      NodeId leader = leader(async);
      Thread writer = writers.get(number(leader));
      AtomicReference<InterruptedException> interrupted = new AtomicReference<>();
      BEFORE_SYNC.on(
          (point, records) -> {
            if (Thread.currentThread() == writer) {
              try {
                release.await();
              } catch (InterruptedException e) {
                interrupted.set(e);
              }
            }
          });
      async.put(key("k1"), value(2, LARGE)).join();
      assertThat(async.get(key("k1")).join()).contains(value(2, LARGE));
      assertThat(leader(async)).isNotEqualTo(leader);
      BEFORE_SYNC.off();
      assertThat(interrupted).hasNullValue();
    } finally {
      release.countDown();
    }
  }
}
