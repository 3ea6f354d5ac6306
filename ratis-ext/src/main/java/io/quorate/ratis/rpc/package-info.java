/**
 * Raft's messages over the transport between nodes, in place of a transport of Ratis. A message is
 * a request to a node, whose kind is its type, and whose body is Ratis' protobuf encoding.
 *
 * <p>{@link io.quorate.ratis.rpc.PeerRpc} sends, {@link io.quorate.ratis.rpc.RaftMessageHandlers}
 * receives, and {@link io.quorate.ratis.rpc.PipelinedLogAppender} replicates the log of a leader to
 * one follower, on the {@link io.quorate.replication.threads.SharedLoops} of the node.
 */
package io.quorate.ratis.rpc;
