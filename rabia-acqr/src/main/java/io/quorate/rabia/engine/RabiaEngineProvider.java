package io.quorate.rabia.engine;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Membership;
import io.quorate.model.Guarantee;
import io.quorate.quorum.QuorumReads;
import io.quorate.rabia.protocol.Configuration;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Provides the Rabia engine under the name {@code rabia}. */
public final class RabiaEngineProvider implements ConsensusEngineProvider {

  @Override
  public String name() {
    return "rabia";
  }

  @Override
  public Capabilities capabilities(EngineSettings settings) {
    return capabilities(RabiaSettings.from(settings));
  }

  @Override
  public ConsensusEngine start(EngineContext host) throws IOException {
    RabiaSettings settings = RabiaSettings.from(host.settings());
    return RabiaEngine.start(host, settings, capabilities(settings));
  }

  private static Capabilities capabilities(RabiaSettings settings) {
    return new Capabilities(
        false,
        Configuration.MEMBERS_MAX,
        Set.of(Guarantee.Linearizable.class, Guarantee.AtLeast.class, Guarantee.Local.class),
        Optional.empty(),
        settings.commands().bytesMax(),
        Set.of(QuorumReads.class, Membership.class),
        settings.lastingSettings());
  }
}
