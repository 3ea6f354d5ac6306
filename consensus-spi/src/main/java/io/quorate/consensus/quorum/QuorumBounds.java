package io.quorate.consensus.quorum;

import java.time.Duration;

/**
 * How long quorum reads of a group may take, and how many there may be. Error messages name the
 * settings {@code read-timeout}, {@code quorum-reads-max} and {@code quorum-reads-size-max} of the
 * engine's section.
 *
 * @param section what the engine's settings begin with
 * @param timeout how long a read may take
 * @param hedge after how long the replicas are asked that were not asked at first (Q9)
 * @param patience after how long a read goes to the leader, where there is one
 * @param roundsMax most rounds on their way at a time; the fewer, the more reads share one
 * @param readsMax most reads that have no answer
 * @param bytesMax most bytes of keys of such reads; a read that finds no other is let in whatever
 *     its size
 */
public record QuorumBounds(
    String section,
    Duration timeout,
    Duration hedge,
    Duration patience,
    int roundsMax,
    int readsMax,
    long bytesMax) {}
