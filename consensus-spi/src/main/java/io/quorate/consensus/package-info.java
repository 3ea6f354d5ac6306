/**
 * The contract between the database and a consensus engine: interfaces, value types and failures,
 * and no protocol.
 *
 * <p>An engine replicates {@linkplain io.quorate.consensus.Command commands} in one order and
 * provides read indexes: {@linkplain io.quorate.model.Position positions} from which a local read
 * is safe. It depends neither on the meaning of a command nor on the storage of the state. The
 * {@linkplain io.quorate.consensus.ReplicatedStateMachine state machine} depends neither on the
 * protocol nor on the other replicas.
 */
package io.quorate.consensus;
