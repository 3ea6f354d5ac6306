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
 * Clusters for the tests of a contract. Replicas run in one JVM over real sockets and files; their
 * state machine records every delivered batch and every violation of the contract.
 */
abstract class ContractFixture {
  @TempDir private static Path sharedDirectory;
  private static ContractCluster shared;
  private static int markers;

  @TempDir private Path directory;

  ContractCluster cluster;
  private String marker;

  /** The engine under test. */
  protected abstract ConsensusEngineProvider provider();

  /**
   * Settings with a fast leader election, and under which a few hundred KiB after a flush suffice
   * for the log to be truncated.
   */
  protected abstract EngineSettings settings();

  /** Starts a cluster for this test only. */
  ContractCluster start(int nodes) throws IOException {
    cluster = new ContractCluster(provider(), settings(), directory, nodes);
    return cluster.startAll();
  }

  /**
   * Selects the cluster of three nodes that the tests of this class share, and starts its stopped
   * nodes.
   */
  ContractCluster useShared() throws IOException {
    if (shared == null) {
      shared = new ContractCluster(provider(), settings(), sharedDirectory, 3);
    }
    cluster = shared;
    cluster.startStopped();
    markers++;
    marker = "test " + markers;
    cluster.propose(marker);
    return cluster;
  }

  /** The commands delivered to a replica in this test so far. */
  List<String> commands(Node replica) {
    List<String> all = replica.machine().commands();
    int earlier = all.indexOf(marker) + 1;
    return marker == null || earlier > 0 ? all.subList(earlier, all.size()) : List.of();
  }

  /** Most awaited events happen within milliseconds. */
  @BeforeAll
  static void pollOften() {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
  }

  @AfterAll
  static void closeShared() {
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

  /** Retries a request until it succeeds, because the leader may change at any time. */
  static <T> T eventually(Supplier<? extends CompletionStage<T>> request) {
    return Awaitility.await()
        .atMost(ContractCluster.PATIENCE)
        .ignoreExceptionsMatching(
            failure ->
                failure instanceof CompletionException
                    && failure.getCause() instanceof ConsensusException)
        .until(() -> request.get().toCompletableFuture().join(), result -> true);
  }

  /** The directory that contains the files of all nodes. */
  protected final Path directory() {
    return directory;
  }

  Capabilities capabilities() {
    return provider().capabilities(settings());
  }
}
