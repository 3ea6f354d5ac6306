package io.quorate.consensus.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.ContractCluster.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clusters for the tests of a contract. Replicas run in one JVM over real sockets and files; a
 * state machine that records what it is handed notes every breach.
 */
abstract class ContractFixture {
  @TempDir private static Path sharedDirectory;
  private static ContractCluster shared;
  private static int marks;

  @TempDir private Path directory;

  ContractCluster cluster;
  private String mark;

  /** The engine under test. */
  protected abstract ConsensusEngineProvider provider();

  /**
   * Settings under which replicas agree on a leader quickly, and under which a few hundred KiB
   * after a flush are enough for the log to be cut.
   */
  protected abstract EngineSettings settings();

  /** A cluster for this test alone. */
  ContractCluster start(int nodes) throws IOException {
    cluster = new ContractCluster(provider(), settings(), directory, nodes);
    return cluster.startAll();
  }

  /** The cluster of three that tests of this class share. All of its nodes run. */
  ContractCluster share() throws IOException {
    if (shared == null) {
      shared = new ContractCluster(provider(), settings(), sharedDirectory, 3);
    }
    cluster = shared;
    cluster.startStopped();
    marks++;
    mark = "test " + marks;
    cluster.propose(mark);
    return cluster;
  }

  /** What a replica was handed in this test so far. */
  List<String> commands(Node replica) {
    List<String> all = replica.machine().commands();
    int earlier = all.indexOf(mark) + 1;
    return mark == null || earlier > 0 ? all.subList(earlier, all.size()) : List.of();
  }

  /** Most of what is awaited happens within milliseconds. */
  @BeforeAll
  static void pollOften() {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
  }

  @AfterAll
  static void closeWhatIsShared() {
    Awaitility.reset();
    if (shared != null) {
      ContractCluster last = shared;
      shared = null;
      last.close();
      assertThat(last.violations()).isEmpty();
    }
  }

  @AfterEach
  void closeAndCheck() {
    if (cluster != null) {
      if (cluster != shared) {
        cluster.close();
      }
      assertThat(cluster.violations()).isEmpty();
    }
  }

  /** Asks until there is an answer: who leads may change at any time. */
  static <T> T eventually(Supplier<? extends CompletionStage<T>> question) {
    return Awaitility.await()
        .atMost(ContractCluster.PATIENCE)
        .ignoreExceptionsMatching(
            failure ->
                failure instanceof CompletionException
                    && failure.getCause() instanceof ConsensusException)
        .until(() -> question.get().toCompletableFuture().join(), answer -> true);
  }

  /** Where the nodes keep their files. */
  protected final Path directory() {
    return directory;
  }

  Capabilities capabilities() {
    return provider().capabilities(settings());
  }
}
