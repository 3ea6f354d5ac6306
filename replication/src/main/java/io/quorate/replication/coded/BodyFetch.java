package io.quorate.replication.coded;

import io.quorate.consensus.BodyId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyMessages.Fetch;
import io.quorate.replication.coded.round.BodyMessages.Fetched;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import io.quorate.replication.erasure.CodedValueHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** Fetches what one node holds of a body, one chunk after the other. Nothing blocks. */
final class BodyFetch {
  private final BodyPeers peers;
  private final NodeId from;
  private final BodyId id;
  private final CodedValueHeader header;
  private final int chunkBytes;
  private final Executor workers;
  private final BooleanSupplier isWanted;

  /**
   * @param header of the body, whose lengths bound what is received
   * @param workers executes the copying of each chunk
   * @param isWanted evaluated before each chunk; if not, the fetch fails
   */
  BodyFetch(
      BodyPeers peers,
      NodeId from,
      BodyId id,
      CodedValueHeader header,
      int chunkBytes,
      Executor workers,
      BooleanSupplier isWanted) {
    this.peers = peers;
    this.from = from;
    this.id = id;
    this.header = header;
    this.chunkBytes = chunkBytes;
    this.workers = workers;
    this.isWanted = isWanted;
  }

  /**
   * Starts the fetch.
   *
   * @return completes with what the node holds, which is not verified; empty if that is nothing.
   *     Fails with an {@link IOException}.
   */
  CompletableFuture<Optional<HeldBody>> start() {
    return request(0)
        .thenComposeAsync(
            first ->
                first.isEmpty()
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : begin(first.get()).thenApply(Optional::of),
            workers);
  }

  private CompletableFuture<Optional<Fetched>> request(int offset) {
    return isWanted.getAsBoolean()
        ? peers.fetch(from, new Fetch(id.epoch(), id.number(), offset, chunkBytes))
        : failed("is not needed any more");
  }

  private CompletableFuture<HeldBody> begin(Fetched first) {
    int expected =
        first.form() == Form.COMPLETE
            ? header.valueBytes()
            : header.shape().fragmentBytes(header.valueBytes(), first.index());
    if (first.length() != expected) {
      return failed("has " + first.length() + " bytes, not " + expected);
    }
    return append(first, first, ByteBuffer.allocate(expected));
  }

  private CompletableFuture<HeldBody> append(Fetched first, Fetched part, ByteBuffer to) {
    // A complete copy may replace a fragment meanwhile.
    boolean isSame =
        part.form() == first.form()
            && part.index() == first.index()
            && part.length() == first.length();
    int count = part.bytes().remaining();
    if (!isSame || count > to.remaining() || count == 0 && to.hasRemaining()) {
      return failed("has changed, or does not continue");
    }
    to.put(part.bytes().duplicate());
    if (!to.hasRemaining()) {
      return CompletableFuture.completedFuture(
          new HeldBody(first.form(), first.index(), to.flip()));
    }
    return request(to.position())
        .thenComposeAsync(
            next -> next.isEmpty() ? failed("is gone") : append(first, next.get(), to), workers);
  }

  private <T> CompletableFuture<T> failed(String why) {
    return CompletableFuture.failedFuture(
        new IOException("Body " + id + " of node " + from + " " + why + "."));
  }
}
