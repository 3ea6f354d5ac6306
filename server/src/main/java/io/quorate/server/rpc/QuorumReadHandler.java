package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Routing;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.ReadReply;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.RegionStore;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * Serves this replica's read reply for one key, for clients that merge the replies of a quorum
 * themselves.
 *
 * <p>The value is read after the read reply was taken, so its state may be newer than {@code
 * applied} in the reply. This is safe (Q3, Q6): the client computes its barrier from the replies,
 * and a state beyond {@code applied} covers everything that {@code applied} covers. The newer state
 * also contains nothing that a later read may miss: it holds decided writes only, and a majority
 * had proposed each of them before it was decided (Q1), or had it in its log before it was
 * committed (L10), so every later quorum reports its position as applied or pending. The epoch of
 * the reply may likewise be older than that of the state. If an operation was acknowledged in the
 * newer epoch before the read began, a replica of every quorum has proposed or executed the
 * configuration change: then either the replies differ in epoch, or the barrier covers the change,
 * and a replica that has applied everything up to the barrier is in the newer epoch (Q7).
 */
final class QuorumReadHandler implements RequestHandler {
  private final RegionLookup regionLookup;
  private final Limits limits;
  private final ReadExecutor reads;
  private final IntSupplier load;

  /**
   * @param load the number of in-flight requests of this node
   */
  QuorumReadHandler(
      RegionLookup regionLookup, Limits limits, ReadExecutor reads, IntSupplier load) {
    this.load = load;
    this.regionLookup = regionLookup;
    this.limits = limits;
    this.reads = reads;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.ReplyRequest query = DataFrames.readReplyRequest(request.body());
    Key key = query.key();
    limits.checkKey(key);
    LocalReplica region = regionLookup.route(request, routing, key);
    QuorumReads quorum =
        region
            .group()
            .control(QuorumReads.class)
            .orElseThrow(
                () -> RequestRejected.invalid("Regions of this cluster have no quorum reads."));
    reads.serve(
        request,
        routing,
        region,
        () -> quorum.reply(KeyScope.key(key), query.atLeast()),
        ReadReply::applied,
        new ValueReader(request, region.store(), key, load));
  }

  /** Reads the value that belongs to this replica's reply. */
  private record ValueReader(Request request, RegionStore store, Key key, IntSupplier load)
      implements ReadExecutor.CachedReader<ReadReply<Void>> {
    @Override
    public ByteBuf read(ReadReply<Void> reply) {
      return frame(reply, store.get(key));
    }

    @Override
    public Optional<ByteBuf> readCached(ReadReply<Void> reply) {
      Optional<byte[]> value = store.getCached(key);
      return value.isPresent() ? Optional.of(frame(reply, value)) : Optional.empty();
    }

    private ByteBuf frame(ReadReply<Void> reply, Optional<byte[]> value) {
      ReadReply<Optional<byte[]>> withValue =
          new ReadReply<>(
              reply.replica(),
              reply.epoch(),
              reply.quorum(),
              reply.applied(),
              reply.pending(),
              value);
      ByteBuf frame = request.begin(DataFrames.size(withValue));
      DataFrames.writeReply(frame, withValue, load.getAsInt());
      return frame;
    }
  }
}
