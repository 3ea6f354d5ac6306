package io.quorate.ratis;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Host;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.quorum.QuorumReads;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Raft on Apache Ratis, by the name {@code raft}. */
public final class RatisEngineProvider implements ConsensusEngineProvider {

  @Override
  public String name() {
    return "raft";
  }

  @Override
  public Capabilities capabilities(EngineSettings settings) {
    return capabilities(RatisSettings.from(settings));
  }

  @Override
  public ConsensusEngine start(Host host) throws IOException {
    RatisSettings settings = RatisSettings.from(host.settings());
    return RatisEngine.start(host, settings, capabilities(settings));
  }

  private static Capabilities capabilities(RatisSettings settings) {
    Set<Class<? extends Guarantee>> guarantees =
        new HashSet<>(
            Set.of(Guarantee.Linearizable.class, Guarantee.AtLeast.class, Guarantee.Local.class));
    if (settings.leaseDrift().isPresent()) {
      guarantees.add(Guarantee.LinearizableIfClocksBounded.class);
    }
    return new Capabilities(
        true,
        Integer.MAX_VALUE,
        guarantees,
        settings.leaseDrift(),
        settings.entryBytesMax() - EntryCodec.overheadBytes(),
        true,
        Set.of(Leadership.class, QuorumReads.class, FollowerReads.class),
        Map.of());
  }
}
