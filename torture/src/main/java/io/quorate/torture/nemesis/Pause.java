package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.Optional;

/** A pause of the process (SIGSTOP) that a node has now, until {@link #end}. */
final class Pause {
  private final NodeProcess node;
  private final Optional<ProcessHandle> paused;

  Pause(NodeProcess node) throws IOException {
    this.node = node;
    this.paused = node.handle();
    node.pause();
  }

  /** Resumes the process, unless another fault has ended it meanwhile and started a new one. */
  void end() throws IOException {
    if (node.handle().isPresent() && node.handle().equals(paused)) {
      node.resume();
    }
  }
}
