package io.quorate.server.topology;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.RegionStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * This node's replica of a region.
 *
 * @param assignment the region that it is a replica of
 * @param group accepts writes and determines the read index of reads
 * @param bodies replicates the bodies of large values; empty if no value of the region is a body
 * @param store holds the rows
 * @param load counts the requests that this node receives for the region
 */
public record LocalReplica(
    RegionAssignment assignment,
    ConsensusGroup group,
    Optional<BodyReplication> bodies,
    RegionStore store,
    RegionLoad load) {

  /** A digest has 16 parts. */
  private static final int DIGEST_HALVINGS = 4;

  /** A replica that was just opened. */
  public LocalReplica(RegionAssignment assignment, ConsensusGroup group, RegionStore store) {
    this(assignment, group, group.control(BodyReplication.class), store, new RegionLoad());
  }

  /**
   * Requests a digest of the region from each of its replicas. Reads the disk.
   *
   * @return completes with the position of the digests; fails as a write does
   */
  public CompletionStage<Position> proposeDigest() {
    Operation request = new Operation.Digest(store.bounds(DIGEST_HALVINGS));
    return group
        .propose(new Command(new ClientCommand(RequestId.NONE, request).encoded()))
        .thenApply(ProposeResult::position);
  }

  /** The same replica with another description of its region. */
  public LocalReplica assigned(RegionAssignment present) {
    return new LocalReplica(present, group, bodies, store, load);
  }
}
