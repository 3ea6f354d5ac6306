package io.quorate.rabia.core;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.List;

/** An event that a replica processes. */
public sealed interface Input {

  /** A record of the log, in order. All records precede {@link Started}. */
  record Replayed(LogRecord record) implements Input {}

  /** The log has been replayed; from now on the replica sends messages. Occurs once. */
  record Started() implements Input {}

  /** A message from another replica, {@linkplain Message#isIntact intact}. */
  record Received(NodeId from, Message message) implements Input {}

  /** Commands of clients, in the order in which they take effect. */
  record Propose(List<ByteBuffer> commands) implements Input {}

  /** Requests a change of the members (S2). */
  record Reconfigure(List<Member> members) implements Input {}

  /** Every record up to {@code through} is on disk. */
  record Durable(Lsn through) implements Input {}

  /** The state machine has accepted every slot up to {@code through}. */
  record Executed(Position through) implements Input {}

  /** The state of the state machine up to {@code through} survives power loss. */
  record StateDurable(Position through) implements Input {}

  /**
   * A snapshot has replaced the state of the state machine, durably. Slots up to {@code state} that
   * were delivered and not accepted yet must not be accepted any more, and need no {@link
   * Executed}.
   *
   * @param checkpoint the checkpoint of the snapshot; not beyond {@code state}
   * @param state the position of the snapshot's state
   */
  record Installed(Checkpoint checkpoint, Position state) implements Input {}

  /** The log does not hold the slot that {@link Effect.SendFromLog} named. */
  record NotInLog(NodeId to) implements Input {}

  /**
   * A connection to the peer is established again; messages in flight on the old one are lost (T1).
   */
  record Connected(NodeId peer) implements Input {}

  /** Time has passed. */
  record Tick() implements Input {}
}
