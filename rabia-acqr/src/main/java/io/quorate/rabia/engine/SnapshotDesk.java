package io.quorate.rabia.engine;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.core.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/** Snapshots. */
final class SnapshotDesk {
  record Files(Path directory, Executor executor) {}

  static ExecutorService newThreads() {
    return Executors.newCachedThreadPool(new DefaultThreadFactory("rabia-files", true));
  }

  SnapshotDesk(
      ReplicatedStateMachine machine,
      Replica replica,
      ReplicaLoop loop,
      HandOver handOver,
      RabiaSettings settings,
      Files files,
      BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> ask) {}

  CompletionStage<ByteBuffer> answer(ByteBuffer request) {
    return CompletableFuture.failedFuture(new IOException("not yet"));
  }

  void fetch(Effect.FetchSnapshot fetch) {}

  void close() {}
}
