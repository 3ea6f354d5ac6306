package io.quorate.consensus;

import io.quorate.model.Guarantee;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The features and limits of an engine under given settings. A node checks its configuration
 * against them before it starts the engine.
 *
 * @param hasLeader whether one replica at a time accepts proposals; otherwise every replica does
 * @param replicasMax the maximum number of replicas of a group
 * @param guarantees the kinds of {@link Guarantee} that {@link ConsensusGroup#readIndex} accepts
 * @param clockDrift the difference of clock rates that {@link
 *     Guarantee.LinearizableIfClocksBounded} tolerates, as the duration by which a lease is
 *     shortened; empty if no offered guarantee depends on clocks
 * @param largestCommandBytes the maximum size of a payload that {@link ConsensusGroup#propose}
 *     accepts, in bytes
 * @param controls the control interfaces that {@link ConsensusGroup#control} returns
 * @param lastingSettings the settings on which the format of the engine's files depends, by key.
 *     They must not change as long as the engine's directory contains files.
 */
public record Capabilities(
    boolean hasLeader,
    int replicasMax,
    Set<Class<? extends Guarantee>> guarantees,
    Optional<Duration> clockDrift,
    int largestCommandBytes,
    Set<Class<? extends GroupControl>> controls,
    Map<String, String> lastingSettings) {
  public Capabilities {
    guarantees = Set.copyOf(guarantees);
    controls = Set.copyOf(controls);
    lastingSettings = Map.copyOf(lastingSettings);
  }

  /** Whether {@link ConsensusGroup#readIndex} accepts a guarantee of this kind. */
  public boolean offers(Guarantee guarantee) {
    return guarantees.contains(guarantee.getClass());
  }
}
