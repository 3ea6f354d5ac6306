package io.quorate.ratis;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.EngineContract;
import io.quorate.consensus.contract.LiveFiles;
import java.time.Duration;
import java.util.Map;

class RatisContractTest extends EngineContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new RatisEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return new EngineSettings("engine", FastSettings.with(Map.of()));
  }

  /** Only the stopped node still has its first segment. */
  @Override
  protected void awaitLogTruncated() {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> LiveFiles.named(directory(), "00000001.log"::equals).size() <= 1);
  }
}
