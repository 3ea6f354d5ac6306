package io.quorate.consensus.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster for each test of a contract. Replicas run in one JVM over real sockets and files; a
 * state machine that records what it is handed notes every breach.
 */
abstract class ContractFixture {
  @TempDir Path directory;

  ContractCluster cluster;

  /** The engine under test. */
  protected abstract ConsensusEngineProvider provider();

  /**
   * Settings under which replicas agree on a leader quickly, and under which a few hundred KiB
   * after a flush are enough for the log to be cut.
   */
  protected abstract EngineSettings settings();

  ContractCluster start(int nodes) throws IOException {
    cluster = new ContractCluster(provider(), settings(), directory, nodes);
    return cluster.startAll();
  }

  /** Most of what is awaited happens within milliseconds. */
  @BeforeAll
  static void pollOften() {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
  }

  @AfterAll
  static void pollAsBefore() {
    Awaitility.reset();
  }

  @AfterEach
  void closeAndCheck() {
    if (cluster != null) {
      cluster.close();
      assertThat(cluster.violations()).isEmpty();
    }
  }

  /** Where the nodes keep their files. */
  protected final Path directory() {
    return directory;
  }

  Capabilities capabilities() {
    return provider().capabilities(settings());
  }
}
