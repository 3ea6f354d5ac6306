package io.quorate.storage.body;

import io.quorate.common.Budget;
import io.quorate.consensus.BodyId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Adds or replaces a body. */
final class BodyWrite implements WriterTask {
  private final WriterState state;
  private final Budget pending;
  private final BodyId body;
  private final List<ByteBuffer> content;
  private final long bytes;
  private final CompletableFuture<Void> durable = new CompletableFuture<>();

  /**
   * @param pending from which the bytes were acquired, and which receives them at the end
   */
  BodyWrite(WriterState state, Budget pending, BodyId body, List<ByteBuffer> content, long bytes) {
    this.state = state;
    this.pending = pending;
    this.body = body;
    this.content = content;
    this.bytes = bytes;
  }

  CompletableFuture<Void> durable() {
    return durable;
  }

  @Override
  public void append(List<Runnable> whenDurable) throws IOException {
    StoredBody stored = state.segments().append(RecordHeader.body(body, content), content);
    whenDurable.add(
        () -> {
          state.hasGarbage(state.index().put(body, stored));
          pending.release(bytes);
          durable.complete(null);
        });
  }

  @Override
  public void fail(IOException failure) {
    if (durable.completeExceptionally(failure)) {
      pending.release(bytes);
    }
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean isDeferred() {
    return true;
  }

  @Override
  public boolean isCopy() {
    return false;
  }

  @Override
  public boolean isLazy() {
    return false;
  }
}
