package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A follower that needs entries which the leader has only on its disk. */
class AppenderReadsTest {
  private static final Failpoint BEFORE_SEND = Failpoint.named("raft.append.before-send");
  private static final int COMMANDS = 40;

  @TempDir Path directory;

  @AfterEach
  void off() {
    BEFORE_SEND.off();
  }

  @Test
  void entriesThatAreNotInMemoryAreReadOnAThreadThatMayBlock() throws IOException {
    EngineSettings settings =
        new EngineSettings(
            "raft",
            FastSettings.with(
                Map.of(
                    "log-retained-entries", "100000", "log-retained-for-slow-entries", "100000")));
    try (ContractCluster cluster =
        new ContractCluster(new RatisEngineProvider(), settings, directory, 3).startAll()) {
      NodeId former = cluster.awaitServingId();
      List<NodeId> followers =
          cluster.running().keySet().stream().filter(id -> !id.equals(former)).toList();
      NodeId stopped = followers.get(0);
      List<String> expected = new ArrayList<>(List.of("first"));
      cluster.propose("first");
      cluster.stop(stopped);
      for (int i = 0; i < COMMANDS; i++) {
        expected.add("command-" + i);
        cluster.propose(expected.get(expected.size() - 1));
      }
      // A node that has started has no entry in memory that was added before.
      for (NodeId each : List.of(former, followers.get(1))) {
        cluster.stop(each);
      }
      for (NodeId each : List.of(former, followers.get(1))) {
        cluster.start(each);
      }
      NodeId leader = cluster.awaitServingId();
      SegmentedRaftLog log =
          (SegmentedRaftLog)
              ((RatisEngine) cluster.node(leader).engine()).division(cluster.spec()).getRaftLog();
      List<Long> onDisk = onDisk(log);
      assertThat(onDisk).as("entries that the leader has only on its disk").isNotEmpty();

      Map<Long, String> senders = new ConcurrentHashMap<>();
      BEFORE_SEND.on(
          (failpoint, subject) -> {
            if (subject instanceof AppendEntriesRequestProto request
                && stopped.value().equals(request.getServerRequest().getReplyId().toStringUtf8())) {
              for (LogEntryProto entry : request.getEntriesList()) {
                senders.putIfAbsent(entry.getIndex(), Thread.currentThread().getName());
              }
            }
          });
      cluster.start(stopped);
      await()
          .atMost(PATIENCE)
          .until(() -> cluster.node(stopped).machine().commands(), expected::equals);
      senders.keySet().retainAll(onDisk);
      assertThat(senders).isNotEmpty();
      assertThat(senders.values()).allMatch(thread -> thread.startsWith("raft-log-read"));
      assertThat(cluster.violations()).isEmpty();
    }
  }

  private static List<Long> onDisk(SegmentedRaftLog log) {
    return LongStream.range(log.getStartIndex(), log.getNextIndex())
        .filter(index -> log.inMemory(index).isEmpty())
        .boxed()
        .toList();
  }
}
