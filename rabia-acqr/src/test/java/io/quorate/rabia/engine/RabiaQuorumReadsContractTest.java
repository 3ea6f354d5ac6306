package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.QuorumReadsContract;

class RabiaQuorumReadsContractTest extends QuorumReadsContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new RabiaEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return ContractSettings.with("read-timeout", "20s");
  }
}
