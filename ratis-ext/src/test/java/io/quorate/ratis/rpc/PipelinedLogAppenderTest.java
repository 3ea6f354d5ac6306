package io.quorate.ratis.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelinedLogAppenderTest {
  @TempDir private Path directory;

  private final List<String> written = new ArrayList<>();

  private CompletableFuture<RaftClientReply> write(RaftTrio trio) throws IOException {
    String text = "w" + written.size();
    written.add(text);
    return trio.write(trio.ids().get(0), text);
  }

  private void awaitAllAt(RaftTrio trio, RaftPeerId id) {
    await()
        .atMost(RaftTrio.PATIENCE)
        .untilAsserted(() -> assertThat(trio.machine(id).history()).isEqualTo(written));
  }

  /** The only follower that can be reached has the entries, and the leader does not know. */
  @Test
  void entriesWhoseResponseIsLostAreSentAgain() throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      write(trio).join();
      trio.links().cutBoth(leader, trio.ids().get(2));
      trio.links().breakAfterNextEntries(trio.ids().get(1));
      assertThat(write(trio).join().isSuccess()).isTrue();
      awaitAllAt(trio, trio.ids().get(1));
    }
  }

  /** Requests without a response end with their timeout. */
  @Test
  void aFollowerThatCouldNotBeReachedCatchesUp() throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      RaftPeerId cutOff = trio.ids().get(2);
      write(trio).join();
      trio.links().cut(leader, cutOff);
      for (int i = 0; i < 300; i++) {
        write(trio).join();
      }
      assertThat(trio.machine(cutOff).history()).hasSizeLessThan(written.size());
      trio.links().heal();
      awaitAllAt(trio, cutOff);
    }
  }

  @Test
  void replicasAreEqualAfterResponsesWereLostAtRandom() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(true), directory).start()) {
      List<CompletableFuture<RaftClientReply>> replies = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        if (random.nextInt(20) == 0) {
          trio.links().breakAfterNextEntries(trio.ids().get(1 + random.nextInt(2)));
        }
        replies.add(write(trio));
        if (random.nextInt(4) == 0) {
          replies.get(replies.size() - 1).join();
        }
      }
      assertThat(replies).allMatch(reply -> reply.join().isSuccess());
      for (RaftPeerId id : trio.ids()) {
        awaitAllAt(trio, id);
      }
    }
  }
}
