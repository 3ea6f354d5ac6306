package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whoever is the last of a majority to have an entry, the commit index advances. Nothing else lets
 * it advance in these tests.
 */
class CommitEventsTest {
  @TempDir private Path directory;

  private RaftPeerId leader;
  private RaftPeerId follower;
  private RaftPeerId other;

  private RaftTrio start() throws IOException {
    RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start();
    leader = trio.ids().get(0);
    follower = trio.ids().get(1);
    other = trio.ids().get(2);
    return trio;
  }

  private static long lastMatched(RaftServer.Division leading) {
    return LongStream.of(leading.getInfo().getFollowerMatchIndices()).max().orElseThrow();
  }

  @Test
  void anEntryIsCommittedWhenTheLeaderIsTheLastToHaveIt() throws IOException {
    try (RaftTrio trio = start()) {
      trio.write(leader, "first").join();
      trio.isolate(other);
      RaftServer.Division leading = trio.division(leader);
      CompletableFuture<Void> disk = trio.machine(leader).stallFlushes(0);
      CompletableFuture<RaftClientReply> written = trio.write(leader, "second");
      long last = leading.getRaftLog().getNextIndex() - 1;
      await().atMost(RaftTrio.PATIENCE).until(() -> lastMatched(leading) == last);
      assertThat(leading.getRaftLog().getFlushIndex()).isLessThan(last);
      assertThat(written).isNotDone();
      disk.complete(null);
      assertThat(written).succeedsWithin(RaftTrio.PATIENCE).matches(RaftClientReply::isSuccess);
    }
  }

  @Test
  void anEntryIsCommittedWhenAFollowerIsTheLastToHaveIt() throws IOException {
    try (RaftTrio trio = start()) {
      trio.write(leader, "first").join();
      trio.isolate(other);
      RaftServer.Division leading = trio.division(leader);
      CompletableFuture<Void> disk = trio.machine(follower).stallFlushes(0);
      CompletableFuture<RaftClientReply> written = trio.write(leader, "second");
      long last = leading.getRaftLog().getNextIndex() - 1;
      await().atMost(RaftTrio.PATIENCE).until(() -> leading.getRaftLog().getFlushIndex() == last);
      assertThat(lastMatched(leading)).isLessThan(last);
      assertThat(written).isNotDone();
      disk.complete(null);
      assertThat(written).succeedsWithin(RaftTrio.PATIENCE).matches(RaftClientReply::isSuccess);
    }
  }

  @Test
  void aGroupGoesOnWithItsLeaderAlone() throws IOException {
    try (RaftTrio trio = start()) {
      CompletableFuture<Void> removed =
          CompletableFuture.runAsync(
              () -> {
                try {
                  trio.remove(leader, follower, other);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThat(removed).succeedsWithin(RaftTrio.PATIENCE);
      assertThat(trio.write(leader, "alone"))
          .succeedsWithin(RaftTrio.PATIENCE)
          .matches(RaftClientReply::isSuccess);
    }
  }

  /** What the new leader lacks is committed already. */
  @Test
  void leadershipIsTransferredToAFollowerThatCatchesUp() throws IOException {
    try (RaftTrio trio = start()) {
      trio.write(leader, "first").join();
      trio.links().cut(leader, other);
      trio.write(leader, "second").join();
      CompletableFuture<RaftClientReply> transferred = trio.transfer(leader, other);
      assertThat(transferred).isNotDone();
      trio.links().heal();
      assertThat(transferred).succeedsWithin(RaftTrio.PATIENCE).matches(RaftClientReply::isSuccess);
      trio.awaitLeader(other);
    }
  }
}
