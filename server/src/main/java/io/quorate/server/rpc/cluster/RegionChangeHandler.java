package io.quorate.server.rpc.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.quorate.model.Key;
import io.quorate.protocol.operation.Limits;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.MetadataRegion;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Plans splits or merges of regions, for operators. */
final class RegionChangeHandler<R extends MessageLite> implements RequestHandler {
  /** Plans the change at a key; must not block. */
  interface Planner<R> {
    CompletionStage<R> plan(MetadataRegion metadata, Key at, Executor readers);
  }

  private final MetadataLookup metadataLookup;
  private final Function<Request, ByteString> key;
  private final Planner<R> planner;
  private final Limits limits;
  private final Executor readers;

  /**
   * @param key parses the first key of a region from a request
   * @param readers execute what reads the disk
   */
  RegionChangeHandler(
      MetadataLookup metadataLookup,
      Function<Request, ByteString> key,
      Planner<R> planner,
      Limits limits,
      Executor readers) {
    this.metadataLookup = metadataLookup;
    this.key = key;
    this.planner = planner;
    this.limits = limits;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    Key at = parse(request);
    MetadataRegion metadata = metadataLookup.serving();
    planner.plan(metadata, at, readers).whenComplete(request::end);
  }

  private Key parse(Request request) {
    byte[] at = key.apply(request).toByteArray();
    if (at.length > limits.keyBytes()) {
      throw RequestRejected.invalid(
          String.format(
              Locale.ROOT,
              "A key has at most %d bytes (limits.key); this one has %d.",
              limits.keyBytes(),
              at.length));
    }
    return Key.wrap(at);
  }
}
