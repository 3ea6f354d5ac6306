package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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
}
