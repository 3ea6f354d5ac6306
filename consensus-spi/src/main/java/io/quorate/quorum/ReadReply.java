package io.quorate.quorum;

import io.quorate.model.NodeId;
import io.quorate.model.Position;

/**
 * One replica's reply to a quorum read, taken at one moment and without waiting (Q2, L2).
 *
 * @param replica the replica that replies; several replies of one replica count once
 * @param epoch the latest configuration of the replica: a Rabia epoch or a Raft configuration index
 * @param quorum the number of different replicas that form a quorum of that configuration
 * @param applied the position of the state from which {@code value} was read
 * @param pending the highest position above {@code applied} at which the replica has a pending
 *     write to the scope of the read; {@link Position#NONE} if there is none
 * @param value the value in the state at {@code applied}, or null in a reply without a value
 */
public record ReadReply<V>(
    NodeId replica, long epoch, int quorum, Position applied, Position pending, V value) {}
