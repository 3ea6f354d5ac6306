package io.quorate.consensus.example;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.EngineContract;

class ExampleContractTest extends EngineContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new ExampleEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return EngineSettings.defaults("example");
  }

  /** The log is truncated with the next entry. */
  @Override
  protected void awaitLogTruncated() {}
}
