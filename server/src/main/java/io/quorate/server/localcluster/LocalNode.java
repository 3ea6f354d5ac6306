package io.quorate.server.localcluster;

import io.quorate.server.localcluster.ServerJvm.Lifetime;
import io.quorate.server.node.directory.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A node on this machine, identified by its directory, regardless of the program that started it.
 */
record LocalNode(NodePlan plan) {
  /** The process that {@code dev} started, while it runs. */
  Optional<ProcessHandle> process() throws IOException {
    return ProcessFile.read(plan.processFile());
  }

  /** Whether a process uses the node's data, including one that {@code dev} did not start. */
  boolean isInUse() throws IOException {
    return DataDirectory.isInUse(plan.dataDirectory());
  }

  /** Starts a process that outlives this one. Does not wait until the node serves. */
  NodeProcess start() throws IOException {
    NodeProcess node = new NodeProcess(plan, Lifetime.DETACHED, Launch.SHARED_PROCESSORS);
    node.start();
    return node;
  }

  /** Kills the process (SIGKILL), like a crash. Blocks until it has ended. */
  void kill() throws IOException {
    Optional<ProcessHandle> process = process();
    process.ifPresent(ProcessHandle::destroyForcibly);
    process.ifPresent(handle -> handle.onExit().join());
    deleteProcessFiles();
  }

  /** Requests a graceful stop (SIGTERM), also of a paused process; returns immediately. */
  void terminate() throws IOException {
    Optional<ProcessHandle> process = process();
    if (process.isPresent()) {
      process.get().destroy();
      Signals.resume(process.get());
    }
  }

  /** Waits for a process that was requested to stop, and kills it after the timeout. */
  void awaitExit(long timeoutMillis) throws IOException {
    process()
        .ifPresent(
            handle ->
                handle
                    .onExit()
                    .thenAccept(ended -> {})
                    .completeOnTimeout(null, timeoutMillis, TimeUnit.MILLISECONDS)
                    .join());
    kill();
  }

  /** Completes when the process has ended; immediately if there is none. */
  CompletableFuture<Void> onExit() throws IOException {
    return process()
        .map(handle -> handle.onExit().thenAccept(ended -> {}))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /** Deletes the files of a process that has ended. */
  void deleteProcessFiles() throws IOException {
    Files.deleteIfExists(plan.processFile());
    FileTree.delete(plan.scratchDirectory());
  }
}
