package io.quorate.replication.coded;

import io.quorate.consensus.BodyId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/**
 * Sends a follower its fragment or a complete copy, one chunk after the other. Thread-safe; nothing
 * blocks.
 */
final class BodyTransfer {
  private final BiFunction<NodeId, StoreChunk, CompletableFuture<Optional<Form>>> send;
  private final Executor workers;
  private final int chunkBytes;
  private final NodeId to;
  private final BodyId id;
  private final HeldBody body;
  private final int checksum;
  private final BooleanSupplier isWanted;
  private final CompletableFuture<Form> durable = new CompletableFuture<>();
  private volatile boolean stopped;

  /**
   * @param send sends a chunk, and completes with what is durable after the last one
   * @param workers executes the copying of each chunk
   * @param checksum the CRC-32C of the content
   * @param isWanted evaluated before each chunk; if not, the transfer ends
   */
  BodyTransfer(
      BiFunction<NodeId, StoreChunk, CompletableFuture<Optional<Form>>> send,
      Executor workers,
      int chunkBytes,
      NodeId to,
      BodyId id,
      HeldBody body,
      int checksum,
      BooleanSupplier isWanted) {
    this.send = send;
    this.workers = workers;
    this.chunkBytes = chunkBytes;
    this.to = to;
    this.id = id;
    this.body = body;
    this.checksum = checksum;
    this.isWanted = isWanted;
  }

  /**
   * Starts the transfer; to be called once.
   *
   * @return completes with what is durable at the follower
   */
  CompletableFuture<Form> start() {
    sendFrom(0)
        .whenComplete(
            (form, failure) -> {
              if (failure == null) {
                durable.complete(form);
              } else {
                durable.completeExceptionally(failure);
              }
            });
    return durable;
  }

  /** Sends no further chunk. */
  void stop() {
    stopped = true;
  }

  /** Whether a complete copy is on its way. */
  boolean isSendingComplete() {
    return body.form() == Form.COMPLETE && !durable.isDone();
  }

  private CompletableFuture<Form> sendFrom(int offset) {
    if (stopped || !isWanted.getAsBoolean()) {
      return failed("is not needed any more");
    }
    int count = Math.min(chunkBytes, body.length() - offset);
    int end = offset + count;
    StoreChunk chunk =
        new StoreChunk(
            id.epoch(),
            id.number(),
            body.form(),
            body.index(),
            body.length(),
            checksum,
            offset,
            body.content().slice(offset, count));
    return send.apply(to, chunk).thenCompose(response -> continueAt(end, response));
  }

  private CompletableFuture<Form> continueAt(int offset, Optional<Form> response) {
    boolean isSent = offset == body.length();
    if (response.isPresent() != isSent) {
      return failed("received an unexpected response");
    }
    return isSent
        ? CompletableFuture.completedFuture(response.get())
        : CompletableFuture.completedFuture(offset).thenComposeAsync(this::sendFrom, workers);
  }

  private CompletableFuture<Form> failed(String why) {
    return CompletableFuture.failedFuture(
        new IOException("Body " + id + " to node " + to + " " + why + "."));
  }
}
