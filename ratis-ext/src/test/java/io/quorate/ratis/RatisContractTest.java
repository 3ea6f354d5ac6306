package io.quorate.ratis;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.EngineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

class RatisContractTest extends EngineContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new RatisEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return new EngineSettings("engine", FastSettings.with(Map.of()));
  }

  /** The file with index 0 is left only at the replica that is away. */
  @Override
  protected void awaitLogCut() {
    await().atMost(Duration.ofSeconds(30)).until(() -> replicasWithTheWholeLog().size() <= 1);
  }

  private List<Path> replicasWithTheWholeLog() throws IOException {
    try (Stream<Path> files = Files.walk(directory())) {
      return files
          .filter(
              file ->
                  file.getFileName().toString().startsWith("log_0-")
                      || file.getFileName().toString().equals("log_inprogress_0"))
          .toList();
    }
  }
}
