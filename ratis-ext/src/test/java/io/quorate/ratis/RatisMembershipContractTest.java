package io.quorate.ratis;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.contract.MembershipContract;
import java.util.Map;

class RatisMembershipContractTest extends MembershipContract {
  @Override
  protected ConsensusEngineProvider provider() {
    return new RatisEngineProvider();
  }

  @Override
  protected EngineSettings settings() {
    return new EngineSettings("engine", FastSettings.with(Map.of()));
  }
}
