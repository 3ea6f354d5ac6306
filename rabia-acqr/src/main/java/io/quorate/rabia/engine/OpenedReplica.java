package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.Settings;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.log.ReplicaLog;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A replica as recovered from disk: the state machine is open and has received again what it had
 * not made durable, and no message has been sent.
 *
 * @param durable the position that the state machine held when it was opened
 */
record OpenedReplica(
    Replica replica,
    ReplicaLog log,
    StateMachineFeed feed,
    ReplicatedStateMachine machine,
    Position durable) {

  /**
   * Opens the state machine and replays the log. Blocks.
   *
   * @throws IOException if one of them cannot be read
   */
  static OpenedReplica open(
      NodeId self,
      Settings settings,
      GroupSpec spec,
      ReplicaLog log,
      ReplicatedStateMachine machine)
      throws IOException {
    Position durable = machine.open();
    Checkpoint start =
        log.newestCheckpointAtOrBefore(durable)
            .map(LogRecord.Checkpointed::checkpoint)
            .orElseGet(() -> Checkpoint.initial(first(self, spec)));
    Replica replica =
        new Replica(
            self,
            Configuration.firstEpoch(spec.joinedBy()),
            settings,
            start,
            durable,
            command -> writeSet(machine, command));
    StateMachineFeed feed = new StateMachineFeed(machine, durable);
    log.replay(record -> replay(replica, feed, record));
    return new OpenedReplica(replica, log, feed, machine, durable);
  }

  /** For a replica that joins, epoch 0 with the members that it catches up from. */
  private static Configuration first(NodeId self, GroupSpec spec) {
    boolean joins = spec.members().stream().noneMatch(member -> member.node().equals(self));
    return joins ? new Configuration(0, 0, spec.members()) : Configuration.first(spec.members());
  }

  private static KeyScope writeSet(ReplicatedStateMachine machine, ByteBuffer command) {
    return command.hasRemaining() ? machine.writeSet(command) : new KeyScope.Keys(List.of());
  }

  private static void replay(Replica replica, StateMachineFeed feed, LogRecord record) {
    carryOut(replica, feed, new Input.Replayed(record));
    feed.awaitCapacity();
    while (feed.submitNext(() -> {})) {
      carryOut(replica, feed, new Input.Executed(feed.submitted()));
      feed.awaitCapacity();
    }
  }

  private static void carryOut(Replica replica, StateMachineFeed feed, Input input) {
    for (Effect effect : replica.step(ReplicaClock.nanos(), input)) {
      if (!(effect instanceof Effect.Execute execute)) {
        throw new ConsensusException.Fatal("Log replay had an unexpected effect: " + effect, null);
      }
      feed.add(execute, List.of());
    }
  }
}
