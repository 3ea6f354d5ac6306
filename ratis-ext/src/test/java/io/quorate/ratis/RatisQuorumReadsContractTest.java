package io.quorate.ratis;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.QuorumReadsContract;
import java.util.Map;

class RatisQuorumReadsContractTest extends QuorumReadsContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new RatisEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return new EngineSettings("engine", FastSettings.with(Map.of("read-timeout", "20s")));
  }
}
