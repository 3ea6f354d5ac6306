/**
 * The contract between the database and a consensus engine.
 *
 * <p>An engine makes replicas agree on one order of {@linkplain io.quorate.consensus.Command
 * commands} and says from which {@linkplain io.quorate.consensus.Position position} a local read is
 * safe. It knows neither what a command means nor where state is kept; the {@linkplain
 * io.quorate.consensus.ReplicatedStateMachine state machine} knows neither how the order came about
 * nor who the other replicas are.
 */
package io.quorate.consensus;
