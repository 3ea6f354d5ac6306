/**
 * The Raft engine: Apache Ratis behind the consensus contract.
 *
 * <p>Ratis replicates the log and elects leaders. On top of it stand here: many commands in one log
 * entry ({@link io.quorate.ratis.Proposer}), two fences around unsafe behaviour of Ratis 3.3.0
 * ({@code fence}, {@code read}), and the transfer of state to replicas that fell behind the log
 * ({@code snapshot}).
 */
package io.quorate.ratis;
