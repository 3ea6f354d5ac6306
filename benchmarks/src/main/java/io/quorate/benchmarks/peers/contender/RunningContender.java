package io.quorate.benchmarks.peers.contender;

import io.quorate.benchmarks.kv.KeyValueCalls;
import java.io.IOException;
import java.util.List;

/** A contender that serves. */
public interface RunningContender extends AutoCloseable {

  /** One for each connection; the clients share them evenly. */
  List<KeyValueCalls> calls();

  /** The processes of all its nodes. */
  List<ProcessHandle> processes();

  /**
   * Verifies that every process runs.
   *
   * @throws IOException if one has ended; the message contains the last line of its log
   */
  void requireAlive() throws IOException;

  /** Stops the processes and deletes their files. Blocks until they have ended. */
  @Override
  void close();
}
