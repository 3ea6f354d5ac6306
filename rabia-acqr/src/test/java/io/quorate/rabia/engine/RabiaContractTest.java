package io.quorate.rabia.engine;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.EngineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

class RabiaContractTest extends EngineContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new RabiaEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return ContractSettings.SETTINGS;
  }

  /** The first file is left only at the replica that is away. */
  @Override
  protected void awaitLogCut() {
    await().atMost(Duration.ofSeconds(30)).until(() -> firstSegments().size() <= 1);
  }

  private List<Path> firstSegments() throws IOException {
    try (Stream<Path> files = Files.walk(directory())) {
      return files
          .filter(file -> file.getFileName().toString().equals("segment-0000000001"))
          .toList();
    }
  }
}
