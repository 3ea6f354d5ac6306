/**
 * The protocol as a deterministic object: {@link io.quorate.rabia.core.Replica#step} takes an
 * {@link io.quorate.rabia.core.step.Input} and returns {@link io.quorate.rabia.core.step.Effect}s.
 * No clock, disk, socket, thread or encoding belongs here; these belong in the engine, log,
 * transport and codec packages. Numbers such as P0, C6 or O4 in comments are rules in
 * docs/protocols.md.
 *
 * <h2>Contract of the driver</h2>
 *
 * <p>The driver is the code that steps a replica and carries out the effects.
 *
 * <p><b>Thread.</b> One thread at a time calls the methods of a replica. A step never blocks. The
 * driver passes many messages and commands in one step, and commands that arrived together as one
 * {@link io.quorate.rabia.core.step.Input.Propose}, because they form one batch.
 *
 * <p><b>Time.</b> Any monotonic clock. {@link io.quorate.rabia.core.step.Input.Tick} is due no
 * later than {@link io.quorate.rabia.core.Replica#tickDueAt}, which the driver reads after every
 * step.
 *
 * <p><b>Order.</b> The driver carries out effects in the order of the list, and lists in the order
 * of the steps. Records reach the log in the order of {@link
 * io.quorate.rabia.core.step.Effect.Persist}, and a crash loses a suffix of them, never one from
 * the middle. Messages may be reordered and dropped; {@link
 * io.quorate.rabia.core.step.Effect.Execute} must not be.
 *
 * <p><b>Durability (P0).</b> A {@link io.quorate.rabia.core.step.Effect.Send} waits until every
 * record up to its {@code after} is on disk; most messages wait for none. {@link
 * io.quorate.rabia.core.step.Input.Durable} follows each fsync and names the last record that it
 * covers; one fsync may cover many records (group commit). A record that is {@code lazily}
 * persisted needs no fsync of its own, but {@code Durable} for it must follow eventually (within a
 * second, for example). An fsync that fails ends the process (P1). Execution and responses to
 * clients wait for no record.
 *
 * <p><b>Execution.</b> {@code Execute} effects queue up while the state machine has no capacity. At
 * most alpha of them are queued, because the replica advances at most alpha slots beyond the last
 * {@link io.quorate.rabia.core.step.Input.Executed}. {@link
 * io.quorate.rabia.core.step.Effect.Batched} identifies own commands: it contains the number of the
 * oldest proposed ones that became the batch with this id. The replica reissues a batch that loses
 * its slot, under the same id. A driver that delivers batches on the replica's thread confirms each
 * of them immediately, so that a read reply names the state that the value was read from.
 *
 * <p><b>Restart.</b> The driver opens the state machine; creates a replica from the newest {@link
 * io.quorate.rabia.protocol.LogRecord.Checkpointed} that the state covers; passes every record of
 * the log in order as {@link io.quorate.rabia.core.step.Input.Replayed}, and carries out and
 * confirms each {@code Execute} before the next record; then passes {@link
 * io.quorate.rabia.core.step.Input.Started}. A torn write at the end of the log is truncated.
 * Damage anywhere else means that the disk is lost, and the replica must be replaced by one with a
 * new id (P1, S3). Lsns start anew.
 *
 * <p><b>Truncation.</b> The driver reports the durable position of the state machine with {@link
 * io.quorate.rabia.core.step.Input.StateDurable} as it advances; {@link
 * io.quorate.rabia.core.step.Effect.Truncate} follows when records may be deleted. The log keeps
 * all records from the last checkpoint that the durable state covers.
 *
 * <p><b>Replicas that are behind.</b> On {@link io.quorate.rabia.core.step.Effect.SendFromLog}, the
 * driver reads the decisions from the log and sends them, or reports {@link
 * io.quorate.rabia.core.step.Input.NotInLog}; no step waits for it. The driver retains the log for
 * a replica that fetches a snapshot or decisions from here; otherwise that replica never catches up
 * under load.
 *
 * <p><b>Snapshots.</b> A snapshot is an export of the state machine and {@link
 * io.quorate.rabia.core.Replica#checkpointFor} its position. The driver calls that method when the
 * export is complete, or, where that would be too late, before the export begins, for the position
 * that is applied by then: the checkpoint must not be ahead of the state. On {@link
 * io.quorate.rabia.core.step.Effect.FetchSnapshot}, the driver fetches a snapshot. If the snapshot
 * is then beyond the position of the state machine, the driver installs it and reports {@link
 * io.quorate.rabia.core.step.Input.Installed}.
 *
 * <p><b>Write set.</b> A replica needs the keys that a command may write, but cannot decode
 * commands: the function that is passed to its constructor comes from the state machine.
 *
 * <p><b>Quorum reads.</b> A {@link io.quorate.quorum.ReadReply} is {@link
 * io.quorate.rabia.core.Replica#reply} with the value that the state machine holds at exactly the
 * applied position of the reply, both taken on the replica's thread. The response to a read behind
 * a barrier carries the epoch of {@link io.quorate.rabia.core.Replica#latestConfiguration} at that
 * moment, and is sent only while {@link io.quorate.rabia.core.Replica#hasCaughtUpWithState}.
 */
package io.quorate.rabia.core;
