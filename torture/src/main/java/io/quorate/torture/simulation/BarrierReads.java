package io.quorate.torture.simulation;

import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The reads of a node that wait until its state covers their barriers (Q3). */
final class BarrierReads {
  private record BarrierRead(Position barrier, int key, Simulation.BarrierReply reply) {}

  private final List<BarrierRead> waiting = new ArrayList<>();

  void add(Position barrier, int key, Simulation.BarrierReply reply) {
    waiting.add(new BarrierRead(barrier, key, reply));
  }

  /** Completes the reads whose barriers the state of the replica covers. */
  void complete(Replica replica, SimulatedMachine machine) {
    for (Iterator<BarrierRead> reads = waiting.iterator(); reads.hasNext(); ) {
      BarrierRead read = reads.next();
      if (replica.hasCaughtUpWithState() && replica.executed().covers(read.barrier())) {
        reads.remove();
        read.reply()
            .complete(
                replica.latestConfiguration().epoch(),
                replica.executed(),
                machine.value(read.key()));
      }
    }
  }

  /** Forgets the reads, as a crash does. */
  void clear() {
    waiting.clear();
  }
}
