package io.quorate.server.dev;

import io.quorate.server.dev.ServerJvm.Lifetime;
import io.quorate.server.node.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A node on this machine as its directory shows it, whichever program started it. */
record LocalNode(NodePlan plan) {
  /** The process that {@code dev} started, while it runs. */
  Optional<ProcessHandle> process() throws IOException {
    return ProcessFile.read(plan.processFile());
  }

  /** Whether a process uses the node's data, also one that {@code dev} knows nothing of. */
  boolean isInUse() throws IOException {
    return DataDirectory.isInUse(plan.dataDirectory());
  }

  /** Starts a process that lives on when this one ends. The node takes a while to serve. */
  NodeProcess start() throws IOException {
    NodeProcess node = new NodeProcess(plan, Lifetime.DETACHED, Launch.PLAIN);
    node.start();
    return node;
  }

  /** Ends the process as a crash would (SIGKILL). Blocks until it is gone. */
  void kill() throws IOException {
    Optional<ProcessHandle> process = process();
    process.ifPresent(ProcessHandle::destroyForcibly);
    process.ifPresent(handle -> handle.onExit().join());
    forget();
  }

  /** Requests the process to stop in good order (SIGTERM), also a paused one; returns at once. */
  void terminate() throws IOException {
    Optional<ProcessHandle> process = process();
    if (process.isPresent()) {
      process.get().destroy();
      Signals.resume(process.get());
    }
  }

  /** Waits for a process that was requested to stop, and kills it when the time is over. */
  void awaitExit(long millis) throws IOException {
    process()
        .ifPresent(
            handle ->
                handle
                    .onExit()
                    .thenAccept(ended -> {})
                    .completeOnTimeout(null, millis, TimeUnit.MILLISECONDS)
                    .join());
    kill();
  }

  /** Completes when the process has ended; at once if there is none. */
  CompletableFuture<Void> onExit() throws IOException {
    return process()
        .map(handle -> handle.onExit().thenAccept(ended -> {}))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /** Deletes what is of a process that has ended. */
  void forget() throws IOException {
    Files.deleteIfExists(plan.processFile());
    FileTree.delete(plan.scratchDirectory());
  }
}
