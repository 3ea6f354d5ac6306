package io.quorate.consensus.example;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.model.Guarantee;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Creates engines whose replicas share a log in the memory of the JVM. */
public final class ExampleEngineProvider implements ConsensusEngineProvider {
  static final int COMMAND_BYTES_MAX = 8 << 20;

  private static final int REPLICAS_MAX = 9;

  @Override
  public String name() {
    return "example";
  }

  @Override
  public Capabilities capabilities(EngineSettings settings) {
    settings.requireKnown(Set.of());
    boolean hasLeader = false;
    return new Capabilities(
        hasLeader,
        REPLICAS_MAX,
        Set.of(Guarantee.Linearizable.class, Guarantee.AtLeast.class, Guarantee.Local.class),
        Optional.empty(),
        COMMAND_BYTES_MAX,
        Set.of(),
        Map.of());
  }

  @Override
  public ConsensusEngine start(EngineContext context) {
    return new ExampleEngine(context, capabilities(context.settings()));
  }
}
