package io.quorate.consensus.quorum;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;

/**
 * One replica's answer to a quorum read, taken at one moment and without waiting (PROTOCOLS Q2,
 * L2).
 *
 * @param replica who answers; shares of one replica count once
 * @param epoch the latest configuration this replica knows: a Rabia epoch, a Raft configuration
 *     index
 * @param quorum how many shares of different replicas that configuration needs
 * @param applied the position of the state that {@code value} was read from
 * @param pending the highest position above {@code applied} at which this replica may yet write
 *     what is read; {@link Position#NONE} if there is none
 * @param value what the state at {@code applied} holds
 */
public record Share<V>(
    NodeId replica, long epoch, int quorum, Position applied, Position pending, V value) {}
