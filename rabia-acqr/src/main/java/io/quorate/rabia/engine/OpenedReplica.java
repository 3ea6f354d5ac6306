package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.Settings;
import io.quorate.rabia.log.ReplicaLog;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A replica as its disk remembers it: the state machine is open and has been handed again what it
 * had not made durable, and nothing has been said to anybody yet.
 *
 * @param durable what the state machine held when it was opened
 */
record OpenedReplica(
    Replica replica,
    ReplicaLog log,
    HandOver handOver,
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
        new Replica(self, settings, start, durable, command -> footprint(machine, command));
    HandOver handOver = new HandOver(machine, durable);
    log.replay(record -> replay(replica, handOver, record));
    return new OpenedReplica(replica, log, handOver, machine, durable);
  }

  /** Of a replica that is to join, the members are whom to ask. */
  private static Configuration first(NodeId self, GroupSpec spec) {
    boolean joins = spec.members().stream().noneMatch(member -> member.node().equals(self));
    return joins ? new Configuration(0, 0, spec.members()) : Configuration.first(spec.members());
  }

  private static KeyScope footprint(ReplicatedStateMachine machine, ByteBuffer command) {
    return command.hasRemaining() ? machine.footprint(command) : new KeyScope.Keys(List.of());
  }

  private static void replay(Replica replica, HandOver handOver, LogRecord record) {
    carryOut(replica, handOver, new Input.Replayed(record));
    handOver.awaitRoom();
    while (handOver.next(() -> {})) {
      carryOut(replica, handOver, new Input.Executed(handOver.taken()));
      handOver.awaitRoom();
    }
  }

  private static void carryOut(Replica replica, HandOver handOver, Input input) {
    for (Effect effect : replica.step(ReplicaClock.nanos(), input)) {
      if (!(effect instanceof Effect.Execute execute)) {
        throw new ConsensusException.Fatal("Replaying the log had another effect: " + effect, null);
      }
      handOver.add(execute, List.of());
    }
  }
}
