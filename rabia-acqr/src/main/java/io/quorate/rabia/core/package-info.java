/**
 * The protocol as a pure object: {@link io.quorate.rabia.core.Replica#step} takes an {@link
 * io.quorate.rabia.core.Input} and answers with {@link io.quorate.rabia.core.Effect}s. Numbers such
 * as P0, C6 or O4 in comments are rules of docs/rabia.md.
 *
 * <h2>What whoever drives a replica owes it</h2>
 *
 * <p><b>Thread.</b> One thread at a time steps a replica and asks it. A step never blocks; give it
 * many messages and commands in a row, and commands that arrived together as one {@link
 * io.quorate.rabia.core.Input.Propose}, for they make one batch.
 *
 * <p><b>Time.</b> Any monotonic clock; {@link io.quorate.rabia.core.Input.Tick} no later than
 * {@link io.quorate.rabia.core.Replica#tickDueAt}, which is to be asked after every step.
 *
 * <p><b>Order.</b> Effects are carried out in the order of the list, lists in the order of the
 * steps. Records reach the log in the order of {@link io.quorate.rabia.core.Effect.Persist}, and a
 * crash loses a suffix of them, never one from the middle. Messages may overtake each other and may
 * be dropped; {@link io.quorate.rabia.core.Effect.Execute} may not.
 *
 * <p><b>Durability (P0).</b> A {@link io.quorate.rabia.core.Effect.Send} waits until every record
 * up to its {@code after} is on disk, and most wait for none. {@link
 * io.quorate.rabia.core.Input.Durable} follows each fsync and names the last record it covers; one
 * fsync for many records is right. A record that is {@code lazily} persisted needs no fsync of its
 * own, but {@code Durable} for it has to come some time (within a second, say). An fsync that fails
 * ends the process (P1). Executing and answering clients wait for nothing.
 *
 * <p><b>Execution.</b> {@code Execute} effects queue up while the state machine has no room; at
 * most alpha of them can, because the replica goes no further than alpha slots beyond the last
 * {@link io.quorate.rabia.core.Input.Executed}. Own commands are recognised by {@link
 * io.quorate.rabia.core.Effect.Batched}, which says how many of the oldest proposed ones became the
 * batch with this id. A batch that loses its slot is issued again under its id by itself. Whoever
 * hands batches over on the replica's thread confirms each at once, so that a share names the state
 * it was read from.
 *
 * <p><b>Restart.</b> Open the state machine; make a replica from the newest {@link
 * io.quorate.rabia.protocol.LogRecord.Checkpointed} that the state covers; give it every record of
 * the log in order as {@link io.quorate.rabia.core.Input.Replayed}, carrying out each {@code
 * Execute} and confirming it before the next record; then {@link
 * io.quorate.rabia.core.Input.Started}. A torn end of the log is cut off; damage anywhere else
 * means that the disk is lost, and the replica must be replaced by one with a new id (P1, S3). Lsns
 * start anew.
 *
 * <p><b>Letting go.</b> Tell it of the state machine's durable position with {@link
 * io.quorate.rabia.core.Input.StateDurable} as it advances; {@link
 * io.quorate.rabia.core.Effect.Truncate} follows when records may be deleted. Keep all records from
 * the last checkpoint that the durable state covers.
 *
 * <p><b>Replicas that are behind.</b> On {@link io.quorate.rabia.core.Effect.SendFromLog}, read the
 * decisions from the log and send them, or answer {@link io.quorate.rabia.core.Input.NotInLog};
 * nothing waits for it. Keep the log for whoever fetches a snapshot or decisions from here, or it
 * never becomes level under load.
 *
 * <p><b>Snapshots.</b> A snapshot is an export of the state machine and {@link
 * io.quorate.rabia.core.Replica#checkpointFor} its position, asked for when the export is done, or
 * before it begins where that comes too late. On {@link
 * io.quorate.rabia.core.Effect.FetchSnapshot}: fetch one, and if it is beyond what the state
 * machine holds then, install it and say {@link io.quorate.rabia.core.Input.Installed}.
 *
 * <p><b>Footprint.</b> A replica must know which keys a command may write, and knows nothing of
 * commands: the function it is made with has to come from the state machine.
 *
 * <p><b>Quorum reads.</b> A {@link io.quorate.consensus.quorum.Share} is {@link
 * io.quorate.rabia.core.Replica#share} with the value that the state machine holds at exactly the
 * share's applied position, both taken on the replica's thread. The answer to a read behind a
 * barrier carries the epoch of {@link io.quorate.rabia.core.Replica#latestConfiguration} at that
 * moment, and is given only while {@link io.quorate.rabia.core.Replica#hasCaughtUpWithState}.
 */
package io.quorate.rabia.core;
