package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas share the threads of their node; a leader has one of its own, which mostly sleeps. */
class ThreadsOfGroupsTest {
  @TempDir private Path directory;

  @Test
  void aReplicaThatIsInUseHasNoThreads() throws IOException {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      for (int i = 0; i < 20; i++) {
        trio.write(leader, "write " + i).join();
      }
      List<String> ofReplicas =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> !before.contains(thread))
              .map(Thread::getName)
              .filter(
                  name -> name.contains("@group-") || name.matches(".*-(server|client)-thread.*"))
              .collect(Collectors.toList());
      assertThat(ofReplicas).hasSize(1).allMatch(name -> name.endsWith("-LeaderStateImpl"));
    }
  }

  /** Ratis starts no election while an append has not ended. */
  @Test
  void appendsEndWhereThereAreNoThreads() throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start()) {
      List<RaftPeerId> followers = trio.ids().subList(1, 3);
      followers.forEach(id -> trio.machine(id).setHasNoThreads(true));
      for (int i = 0; i < 20; i++) {
        trio.write(trio.ids().get(0), "write " + i).join();
      }
      await()
          .atMost(RaftTrio.PATIENCE)
          .until(() -> followers.stream().allMatch(id -> appending(trio, id) == 0));
    }
  }

  private static int appending(RaftTrio trio, RaftPeerId follower) {
    return trio.division(follower)
        .getInfo()
        .getRoleInfoProto()
        .getFollowerInfo()
        .getOutstandingOp();
  }

  /** As where a node closes: there are no threads then for what may wait for others. */
  @Test
  void aReplicaThatFailsWhileItIsClosedIsClosed() throws Exception {
    RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start();
    try (trio) {
      RaftPeerId leader = trio.ids().get(0);
      CountDownLatch applying = new CountDownLatch(1);
      CompletableFuture<Void> applies = new CompletableFuture<>();
      trio.machine(leader)
          .beforeApply(
              () -> {
                applying.countDown();
                applies.join();
              });
      trio.write(leader, "fails");
      applying.await();
      trio.machine(leader).setHasNoThreads(true);
      CompletableFuture<Void> closed =
          CompletableFuture.runAsync(
              () -> {
                try {
                  trio.server(leader).close();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      await()
          .atMost(RaftTrio.PATIENCE)
          .until(() -> !trio.server(leader).getLifeCycleState().isRunning());
      applies.completeExceptionally(new IllegalStateException("it cannot be applied"));
      assertThat(closed).succeedsWithin(RaftTrio.PATIENCE);
    }
  }
}
