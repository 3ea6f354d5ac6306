package io.quorate.rabia.core;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.List;

/** What happens to a replica. */
public sealed interface Input {

  /** A record of the log, in order; all of them before {@link Started}. */
  record Replayed(LogRecord record) implements Input {}

  /** The log has been replayed; from now on the replica speaks. Once. */
  record Started() implements Input {}

  /** A message from another replica, {@linkplain Message#isIntact intact}. */
  record Received(NodeId from, Message message) implements Input {}

  /** Commands of clients, in the order in which they are to take effect. */
  record Propose(List<ByteBuffer> commands) implements Input {}

  /** Asks for other members (S2). */
  record Reconfigure(List<Member> members) implements Input {}

  /** Every record up to {@code through} is on disk. */
  record Durable(Lsn through) implements Input {}

  /** The state machine has taken every slot up to here. */
  record Executed(Position through) implements Input {}

  /** The state machine's state up to here survives power loss. */
  record StateDurable(Position through) implements Input {}

  /**
   * The state machine has been replaced, durably, by a snapshot. Slots up to {@code state} that
   * were handed over and not taken yet are not to be taken any more, and need no {@link Executed}.
   *
   * @param checkpoint what came with the snapshot; not beyond {@code state}
   * @param state the position of the snapshot's state
   */
  record Installed(Checkpoint checkpoint, Position state) implements Input {}

  /** The log does not hold what {@link Effect.SendFromLog} named. */
  record NotInLog(NodeId to) implements Input {}

  /** A connection to this replica stands again; what was in flight on the old one is lost (T1). */
  record Connected(NodeId peer) implements Input {}

  /** Time has passed. */
  record Tick() implements Input {}
}
