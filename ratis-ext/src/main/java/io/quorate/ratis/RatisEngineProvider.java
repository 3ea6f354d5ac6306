package io.quorate.ratis;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Membership;
import io.quorate.model.Guarantee;
import io.quorate.quorum.QuorumReads;
import io.quorate.ratis.settings.RatisSettings;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The Raft engine on Apache Ratis, named {@code raft}. Its groups have {@link BodyReplication} if
 * the context has {@link EngineContext#bodies}; otherwise {@link QuorumReads} and {@link
 * FollowerReads}.
 */
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
  public ConsensusEngine start(EngineContext context) throws IOException {
    RatisSettings settings = RatisSettings.from(context.settings());
    return RatisEngine.start(context, settings, capabilities(settings));
  }

  private static Capabilities capabilities(RatisSettings settings) {
    Set<Class<? extends Guarantee>> guarantees =
        new HashSet<>(
            Set.of(Guarantee.Linearizable.class, Guarantee.AtLeast.class, Guarantee.Local.class));
    if (settings.elections().leaseDrift().isPresent()) {
      guarantees.add(Guarantee.LinearizableIfClocksBounded.class);
    }
    return new Capabilities(
        true,
        Integer.MAX_VALUE,
        guarantees,
        settings.elections().leaseDrift(),
        settings.proposals().entryBytesMax() - EntryCodec.overheadBytes(),
        Set.of(
            Leadership.class,
            QuorumReads.class,
            FollowerReads.class,
            BodyReplication.class,
            Membership.class),
        Map.of());
  }
}
