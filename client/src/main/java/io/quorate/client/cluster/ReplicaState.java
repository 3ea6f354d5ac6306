package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The state that a node reports about one of its replicas. Positions are indexes in the order of
 * the region; -1 is the position before the first one.
 *
 * @param region the region as this replica describes it
 * @param members the members of the region's consensus group as this replica knows them; they may
 *     differ from the assigned replicas while one moves
 * @param serving whether the replica accepts requests: as the leader, or as any replica in a
 *     cluster without leaders
 * @param consensusEpoch the highest fencing number that the replica has received: a Raft term or a
 *     Rabia configuration epoch
 * @param committed the commit index of the replica: the last position known to be committed
 * @param applied the last position that is applied to the state machine
 * @param durable the last position that the state machine retains after a crash without its log
 * @param reads read statistics; empty if the node does not report them
 * @param bodies what the node holds of large values; empty if the node does not report it, as
 *     unless {@code replication} is {@code coded}, and before the first search for them
 * @param confirmedEpoch the region's epoch of the last planned change of replicas that this replica
 *     has carried out; 0 if there is none
 * @param rowBytes the approximate size of the rows in bytes, with what the node holds of large
 *     values that are not in their rows; 0 while it is not known
 * @param splitKeys where the region would be split by itself
 * @param hibernating whether the replica has stopped because its region is not in use; any request
 *     starts it
 * @param requestRate the recent requests a second that the replica receives; empty unless they are
 *     counted
 * @param lostMembers the members that have lost what they had acknowledged to this replica, which
 *     leads
 * @param planProblem why this replica, which serves, could not carry out what is planned for the
 *     region; empty if it has not failed
 * @param problem why this replica takes no part in its group although it runs, as the rest of a
 *     sentence about it; empty if nothing is wrong
 * @param digest the newest digest of the rows and sessions; empty if there is none since the node
 *     started
 * @param digestProgress what part of a digest is computed, 0 to 1; empty if none is to be
 * @param behind for how long this replica has not applied what was known to be committed, on its
 *     node or on others; empty unless that is long
 */
public record ReplicaState(
    RegionDescriptor region,
    List<NodeId> members,
    boolean serving,
    long consensusEpoch,
    long committed,
    long applied,
    long durable,
    Optional<Reads> reads,
    Optional<Bodies> bodies,
    long confirmedEpoch,
    long rowBytes,
    SplitKeys splitKeys,
    boolean hibernating,
    OptionalDouble requestRate,
    Set<NodeId> lostMembers,
    Optional<String> planProblem,
    Optional<String> problem,
    Optional<Digest> digest,
    OptionalDouble digestProgress,
    Optional<Duration> behind) {
  public ReplicaState {
    Nulls.refuse(region, "region");
    Nulls.refuse(members, "members");
    Nulls.refuse(reads, "reads");
    Nulls.refuse(bodies, "bodies");
    Nulls.refuse(splitKeys, "splitKeys");
    Nulls.refuse(requestRate, "requestRate");
    Nulls.refuse(lostMembers, "lostMembers");
    Nulls.refuse(planProblem, "planProblem");
    Nulls.refuse(problem, "problem");
    Nulls.refuse(digest, "digest");
    Nulls.refuse(digestProgress, "digestProgress");
    Nulls.refuse(behind, "behind");
  }

  /** How the damage of a lost replica begins whose digest was not that of a majority. */
  public static final String DIFFERS = "The replica differs from ";

  /** Without members that are lost, problems, digests and a delay. */
  public ReplicaState(
      RegionDescriptor region,
      List<NodeId> members,
      boolean serving,
      long consensusEpoch,
      long committed,
      long applied,
      long durable,
      Optional<Reads> reads,
      Optional<Bodies> bodies,
      long confirmedEpoch,
      long rowBytes,
      SplitKeys splitKeys,
      boolean hibernating,
      OptionalDouble requestRate) {
    this(
        region,
        members,
        serving,
        consensusEpoch,
        committed,
        applied,
        durable,
        reads,
        bodies,
        confirmedEpoch,
        rowBytes,
        splitKeys,
        hibernating,
        requestRate,
        Set.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalDouble.empty(),
        Optional.empty());
  }

  /**
   * Where a region would be split by itself.
   *
   * @param bySize the key at which it may be split by its size; empty unless it is large
   * @param byLoad the key at which it is to be split because of many requests; empty unless it
   *     receives these
   */
  public record SplitKeys(Optional<Key> bySize, Optional<Key> byLoad) {
    public SplitKeys {
      Nulls.refuse(bySize, "bySize");
      Nulls.refuse(byLoad, "byLoad");
    }

    /** Those of a region that is neither large nor busy. */
    public static final SplitKeys NONE = new SplitKeys(Optional.empty(), Optional.empty());
  }

  /**
   * A digest, which all replicas have alike at one position.
   *
   * @param position of the request for it
   * @param hash 128 bits in hexadecimal digits
   */
  public record Digest(Position position, String hash) {
    public Digest {
      Nulls.refuse(position, "position");
      Nulls.refuse(hash, "hash");
    }
  }

  /**
   * Read statistics of a replica since its process started.
   *
   * @param readIndex the position for which the last read waited; -1 before the first read
   * @param rowNanos the recent cost of reading one row in a scan; empty before the first one
   * @param applyNanos the recent cost of applying one position; empty before the first one
   * @param merged the number of scans that merged pending deletes with the rows
   * @param immediate the number of scans that read past pending deletes
   * @param relaxed the number of scans that waited for pending deletes
   */
  public record Reads(
      long readIndex,
      OptionalDouble rowNanos,
      OptionalDouble applyNanos,
      long merged,
      long immediate,
      long relaxed) {
    public Reads {
      Nulls.refuse(rowNanos, "rowNanos");
      Nulls.refuse(applyNanos, "applyNanos");
    }
  }

  /**
   * What the node of a replica holds of the bodies of large values to which its rows refer.
   *
   * @param fragments the number of bodies of which it holds a fragment
   * @param complete the number of bodies of which it holds a complete copy
   * @param missing the number of bodies of which it held nothing at the last search, before that
   *     restored them
   * @param damaged the number of bodies that the last verification could not find intact, and not
   *     restore
   * @param bytes of the fragments and the complete copies
   */
  public record Bodies(long fragments, long complete, long missing, long damaged, long bytes) {
    /** Returns the number of bodies that are missing or damaged at this replica. */
    public long degraded() {
      return missing + damaged;
    }
  }
}
