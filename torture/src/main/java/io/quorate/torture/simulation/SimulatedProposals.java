package io.quorate.torture.simulation;

import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.BatchId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The commands that clients have proposed to one node and that have not taken effect. */
final class SimulatedProposals {
  /** A proposed command, and the callback that runs when the command has taken effect. */
  private record WaitingCommand(SimulatedCommand command, Runnable done) {}

  private final ArrayDeque<WaitingCommand> unbatched = new ArrayDeque<>();
  private final Map<BatchId, List<WaitingCommand>> batched = new HashMap<>();

  void proposed(SimulatedCommand command, Runnable done) {
    unbatched.add(new WaitingCommand(command, done));
  }

  void batched(Effect.Batched effect) {
    List<WaitingCommand> commands = new ArrayList<>();
    for (int i = 0; i < effect.commands(); i++) {
      commands.add(unbatched.poll());
    }
    batched.put(effect.id(), commands);
  }

  void refused(Effect.Refused effect) {
    for (int i = 0; i < effect.commands(); i++) {
      unbatched.pollLast();
    }
  }

  void overtaken(BatchId id) {
    batched.remove(id);
  }

  /** Runs the callbacks of the commands of an executed batch that have taken effect. */
  void executed(BatchId id, SimulatedMachine machine) {
    List<WaitingCommand> commands = batched.remove(id);
    if (commands == null) {
      return;
    }
    for (WaitingCommand waiting : commands) {
      if (machine.hasApplied(waiting.command().client(), waiting.command().sequence())) {
        waiting.done().run();
      }
    }
  }

  /** Removes all commands: the node has crashed. */
  void clear() {
    unbatched.clear();
    batched.clear();
  }
}
