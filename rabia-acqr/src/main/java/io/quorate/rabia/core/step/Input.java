package io.quorate.rabia.core.step;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.List;

/** An event that a replica processes. */
public sealed interface Input {

  /** A record of the log, in order. All records precede {@link Started}. */
  record Replayed(LogRecord record) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.replayed(this);
    }
  }

  /** The log has been replayed; from now on the replica sends messages. Occurs once. */
  record Started() implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.started(this);
    }
  }

  /** A message from another replica, {@linkplain Message#isIntact intact}. */
  record Received(NodeId from, Message message) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.received(this);
    }
  }

  /** Commands of clients, in the order in which they take effect. */
  record Propose(List<ByteBuffer> commands) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.propose(this);
    }
  }

  /**
   * Requests a change of the members (S2).
   *
   * @param number the number of the change, greater than those of earlier changes
   */
  record Reconfigure(List<Member> members, long number) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.reconfigure(this);
    }
  }

  /** Every record up to {@code through} is on disk. */
  record Durable(Lsn through) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.durable(this);
    }
  }

  /** The state machine has accepted every slot up to {@code through}. */
  record Executed(Position through) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.executed(this);
    }
  }

  /** The state of the state machine up to {@code through} survives power loss. */
  record StateDurable(Position through) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.stateDurable(this);
    }
  }

  /**
   * A snapshot has replaced the state of the state machine, durably. Slots up to {@code state} that
   * were delivered and not accepted yet must not be accepted any more, and need no {@link
   * Executed}.
   *
   * @param checkpoint the checkpoint of the snapshot; not beyond {@code state}
   * @param state the position of the snapshot's state
   */
  record Installed(Checkpoint checkpoint, Position state) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.installed(this);
    }
  }

  /** The log does not hold the slot that {@link Effect.SendFromLog} named. */
  record NotInLog(NodeId to) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.notInLog(this);
    }
  }

  /**
   * A connection to the peer is established again; messages in flight on the old one are lost (T1).
   */
  record Connected(NodeId peer) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.connected(this);
    }
  }

  /** Time has passed. */
  record Tick() implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.tick(this);
    }
  }

  /** Processes an input of each kind. */
  interface Visitor {
    void replayed(Replayed input);

    void started(Started input);

    void received(Received input);

    void propose(Propose input);

    void reconfigure(Reconfigure input);

    void durable(Durable input);

    void executed(Executed input);

    void stateDurable(StateDurable input);

    void installed(Installed input);

    void notInLog(NotInLog input);

    void connected(Connected input);

    void tick(Tick input);
  }

  void accept(Visitor visitor);
}
