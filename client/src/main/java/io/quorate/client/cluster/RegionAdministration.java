package io.quorate.client.cluster;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.util.concurrent.CompletableFuture;

/**
 * Changes the regions of a cluster; for operators. No method blocks. Clients read and write
 * meanwhile.
 */
public interface RegionAdministration {
  /**
   * Transfers the leadership of a region to another of its replicas. Writes to the region wait
   * during the transfer. Completes once the target leads; if the target leads already, nothing
   * changes.
   *
   * <p>Fails with {@link io.quorate.client.UnavailableException} if the region has no leader at the
   * moment, if the target is unreachable or its log is behind, or if no response is received in
   * time. After a missing response leadership may have moved, which {@link
   * io.quorate.client.AsyncQuorateClient#status} shows. Fails with {@link
   * io.quorate.client.InvalidRequestException} if there is no such region, if the target has no
   * replica of it, or if the regions of this cluster have no leader.
   *
   * @param region the id of the region; 0 is the region of the cluster's own metadata
   * @param target the node that is to lead the region
   */
  CompletableFuture<Void> transferLeader(GroupId region, NodeId target);

  /**
   * Plans the move of a region's replica from one node to another. Completes once the move is
   * planned: the nodes then carry it out, whatever happens to any of them, and {@link
   * io.quorate.client.AsyncQuorateClient#status} shows when the replica has moved. Reads and writes
   * continue meanwhile.
   *
   * <p>Fails with {@link io.quorate.client.InvalidRequestException} if there is no such region or
   * replica, if the target has one already or is no node of the cluster, or if replicas of this
   * cluster cannot be moved. Fails with {@link io.quorate.client.UnavailableException} if until the
   * deadline another replica of the region moves, the metadata of the cluster cannot be changed, or
   * no response is received; after a missing response the move may be planned, and may be requested
   * again.
   *
   * @param region the id of the region, 1 or greater
   * @param from the node with the replica
   * @param to the node that is to have it
   */
  CompletableFuture<Void> moveReplica(GroupId region, NodeId from, NodeId to);

  /**
   * Requests that each replica of a region computes a digest of its rows and sessions, so that they
   * are compared: {@link io.quorate.client.AsyncQuorateClient#status} shows the digests, and which
   * replica is lost because it differs from the others. Completes when the request is in the log;
   * the digests follow after some seconds, or minutes with many GiB of rows.
   *
   * <p>Fails with {@link io.quorate.client.InvalidRequestException} if there is no such region, and
   * with {@link io.quorate.client.UnavailableException} if the region has no leader at the moment,
   * or no response is received in time; it may be repeated.
   *
   * @param region the id of the region; 0 is the region of the cluster's own metadata
   * @return the position at which the digests are
   */
  CompletableFuture<Position> verify(GroupId region);

  /**
   * Plans the split of the region that has a key. Completes once the split is planned, or
   * immediately if a region begins at the key already: the nodes then carry it out, whatever
   * happens to any of them. Reads and writes continue meanwhile; no row moves.
   *
   * <p>Fails with {@link io.quorate.client.InvalidRequestException} if the key is empty or too
   * long, or if regions of this cluster cannot be split. Fails with {@link
   * io.quorate.client.UnavailableException} if until the deadline another change of the region is
   * under way, a node with a replica of the region does not respond, the metadata of the cluster
   * cannot be changed, or no response is received; after a missing response the split may be
   * planned, and may be requested again.
   *
   * @param at the first key of the new region
   * @return the new region, or the one that begins at the key already
   */
  CompletableFuture<GroupId> split(byte[] at);

  /**
   * Plans the merge of the region that begins at a key with the one before it, which then has the
   * keys of both. Completes once the merge is planned: the nodes then carry it out, whatever
   * happens to any of them. For some milliseconds reads and writes of the keys from there on wait;
   * the rest continue.
   *
   * <p>The merge is given up if the rows and sessions of the region that begins at the key have
   * more than 1 MiB. Both regions stay then, which {@link
   * io.quorate.client.AsyncQuorateClient#status} shows.
   *
   * <p>Fails with {@link io.quorate.client.InvalidRequestException} if no region begins at the key,
   * as after a merge, if the key is empty or too long, if the two regions are not on the same
   * nodes, or if regions of this cluster cannot be merged. Fails with {@link
   * io.quorate.client.UnavailableException} if until the deadline another change of one of the two
   * regions is under way, a node of the cluster has not registered with a version that can merge
   * regions, the metadata of the cluster cannot be changed, or no response is received; after a
   * missing response the merge may be planned or complete, and may be requested again.
   *
   * @param at the first key of the region that ends
   * @return the region that has, or will have, the keys from there on
   */
  CompletableFuture<GroupId> merge(byte[] at);
}
