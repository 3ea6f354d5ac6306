package io.quorate.server.rpc;

import io.quorate.client.wire.v1.SplitRegionRequest;
import io.quorate.consensus.Key;
import io.quorate.operation.Limits;
import io.quorate.server.placement.SplitRequests;
import io.quorate.server.topology.MetadataRegion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Plans splits of regions, for operators. */
final class SplitRegionHandler implements RequestHandler {
  private final MetadataLookup metadataLookup;
  private final SplitRequests splits;
  private final Limits limits;
  private final Executor readers;

  /**
   * @param readers execute what reads the disk
   */
  SplitRegionHandler(
      MetadataLookup metadataLookup, SplitRequests splits, Limits limits, Executor readers) {
    this.metadataLookup = metadataLookup;
    this.splits = splits;
    this.limits = limits;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    Key at = parse(request);
    MetadataRegion metadata = metadataLookup.serving();
    CompletableFuture.supplyAsync(() -> splits.split(metadata, at), readers)
        .thenCompose(Function.identity())
        .whenComplete(request::end);
  }

  private Key parse(Request request) {
    byte[] at = request.message(SplitRegionRequest.parser()).getAt().toByteArray();
    if (at.length > limits.keyBytes()) {
      throw RequestRejected.invalid(
          "A key has at most %d bytes (limits.key); this one has %d."
              .formatted(limits.keyBytes(), at.length));
    }
    return Key.wrap(at);
  }
}
