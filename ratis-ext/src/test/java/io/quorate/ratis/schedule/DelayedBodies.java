package io.quorate.ratis.schedule;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.ratis.ForwardingBodies;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A body store that reports each write later than it is durable. */
final class DelayedBodies extends ForwardingBodies {
  private final LongSupplier delayMillis;

  /**
   * @param delayMillis of the next write
   */
  DelayedBodies(BodyStorage store, LongSupplier delayMillis) {
    super(store);
    this.delayMillis = delayMillis;
  }

  @Override
  public CompletableFuture<Void> put(BodyId body, List<ByteBuffer> content) {
    long millis = delayMillis.getAsLong();
    CompletableFuture<Void> durable = super.put(body, content);
    return millis == 0
        ? durable
        : durable.thenCompose(
            done ->
                CompletableFuture.runAsync(
                    () -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)));
  }
}
