package io.quorate.benchmarks.peers.contender;

import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.paper.measurement.Probe;
import java.io.IOException;
import java.util.List;

/** A contender that serves. */
public interface RunningContender extends AutoCloseable {

  /** One for each connection; the clients share them evenly. */
  List<KeyValueCalls> calls();

  /** The same without what measures or bounds them here: what an application would call. */
  default List<KeyValueCalls> connections() {
    return calls();
  }

  /** The processes of all its nodes. */
  List<ProcessHandle> processes();

  /**
   * Begins a measurement of what this database reports of itself. Blocks.
   *
   * @return empty if it reports nothing that is compared
   * @throws IOException if a node does not respond
   */
  default List<Probe> probes() throws IOException, InterruptedException {
    return List.of();
  }

  /**
   * Verifies that every process runs, and that no call to another database was without a response
   * at its deadline.
   *
   * @throws IOException if a process has ended, with the last line of its log, or a call had no
   *     response
   */
  void requireAlive() throws IOException;

  /** Stops the processes and deletes their files. Blocks until they have ended. */
  @Override
  void close();
}
