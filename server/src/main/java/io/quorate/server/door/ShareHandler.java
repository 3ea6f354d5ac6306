package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.Share;
import io.quorate.operation.Limits;
import io.quorate.server.cluster.HostedRegion;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * This replica's part of a quorum read of one key, for clients that merge the parts themselves.
 *
 * <p>The value is read after the share was taken, and so perhaps from a newer state than the
 * share's {@code applied} says. That does no harm (PROTOCOLS Q3, Q6): the client's barrier is
 * computed from what the shares say, and a state beyond {@code applied} covers whatever {@code
 * applied} covers. Nor does it show what a later read may miss: it holds decided writes only, and a
 * majority had proposed each of them before it was decided (Q1), or had it in their logs before it
 * was committed (L10), so every later quorum reports its position as applied or pending. The
 * share's epoch may likewise be older than the state's. If something was acknowledged under the
 * newer one before the read began, a replica of every quorum has proposed or executed the change of
 * members: then either the shares differ in epoch, or the barrier covers the change, and what
 * answers behind it knows the newer epoch when it has come there (Q7).
 */
final class ShareHandler implements RequestHandler {
  private final RegionRouter router;
  private final Limits limits;
  private final ReadPath reads;
  private final IntSupplier load;

  /**
   * @param load how many requests this node has in flight
   */
  ShareHandler(RegionRouter router, Limits limits, ReadPath reads, IntSupplier load) {
    this.load = load;
    this.router = router;
    this.limits = limits;
    this.reads = reads;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.ShareOf asked = DataFrames.readShareOf(request.body());
    Key key = asked.key();
    limits.checkKey(key);
    HostedRegion region = router.route(routing, key);
    QuorumReads quorum =
        region
            .group()
            .control(QuorumReads.class)
            .orElseThrow(() -> Refusal.invalid("Regions of this cluster have no quorum reads."));
    reads.serve(
        request,
        routing,
        region,
        () -> quorum.share(KeyScope.key(key), asked.atLeast()),
        Share::applied,
        share -> answer(request, share, region.store().get(key)));
  }

  private ByteBuf answer(Request request, Share<Void> share, Optional<byte[]> value) {
    Share<Optional<byte[]>> whole =
        new Share<>(
            share.replica(),
            share.epoch(),
            share.quorum(),
            share.applied(),
            share.pending(),
            value);
    ByteBuf frame = request.begin(DataFrames.size(whole));
    DataFrames.writeShare(frame, whole, load.getAsInt());
    return frame;
  }
}
