package io.quorate.client;

import io.quorate.client.wire.v1.ReadFigures;
import io.quorate.client.wire.v1.Replica;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a node reports of one of its replicas. Positions are indexes in the order of the region; -1
 * stands before the first.
 *
 * @param region as this replica has it
 * @param serving whether it takes requests: as the leader, or as any in a cluster without leaders
 * @param consensusEpoch the fencing number it has seen: a Raft term, a Rabia configuration epoch
 * @param committed the last position it knows to be agreed
 * @param applied the last position in its state
 * @param durable the last position that its state keeps through a crash without its log
 * @param reads how it has been read; empty where the node does not report it
 */
public record ReplicaState(
    RegionDescriptor region,
    boolean serving,
    long consensusEpoch,
    long committed,
    long applied,
    long durable,
    Optional<Reads> reads) {

  /**
   * How a replica has been read since its process began.
   *
   * @param readIndex the position that a read waited for last; -1 before the first
   * @param rowNanos what reading a row in a scan cost lately
   * @param applyNanos what applying a position cost lately
   * @param merged scans that dealt with pending removals side by side with the rows
   * @param immediate scans that read past them
   * @param relaxed scans that waited for them
   */
  public record Reads(
      long readIndex,
      OptionalDouble rowNanos,
      OptionalDouble applyNanos,
      long merged,
      long immediate,
      long relaxed) {
    private static Reads of(ReadFigures figures) {
      return new Reads(
          figures.getReadIndex(),
          figures.hasRowNanos() ? OptionalDouble.of(figures.getRowNanos()) : OptionalDouble.empty(),
          figures.hasApplyNanos()
              ? OptionalDouble.of(figures.getApplyNanos())
              : OptionalDouble.empty(),
          figures.getMerged(),
          figures.getImmediate(),
          figures.getRelaxed());
    }
  }

  static ReplicaState of(Replica replica) {
    return new ReplicaState(
        RegionDescriptor.of(replica),
        replica.getServing(),
        replica.getConsensusEpoch(),
        replica.getCommitted(),
        replica.getApplied(),
        replica.getDurable(),
        replica.hasReads() ? Optional.of(Reads.of(replica.getReads())) : Optional.empty());
  }
}
