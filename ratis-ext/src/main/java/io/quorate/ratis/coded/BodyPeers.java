package io.quorate.ratis.coded;

import io.quorate.consensus.NodeId;
import io.quorate.ratis.coded.BodyMessages.Fetch;
import io.quorate.ratis.coded.BodyMessages.Fetched;
import io.quorate.ratis.coded.BodyMessages.StoreChunk;
import io.quorate.ratis.coded.BodyRound.Form;
import io.quorate.ratis.requests.RequestKind;
import io.quorate.transport.GroupRequests;
import io.quorate.transport.RequestTimeout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The other replicas of a group, as receivers of requests about bodies. Thread-safe; nothing
 * blocks. Futures complete on event loops, and fail with an {@link java.io.IOException} that names
 * the reason.
 */
final class BodyPeers {
  private final GroupRequests requests;
  private final BodyMetrics metrics;
  private final RequestTimeout storeTimeout;
  private final RequestTimeout fetchTimeout;

  /** When each peer has last acknowledged a chunk. */
  private final Map<NodeId, Long> acknowledgedNanos = new ConcurrentHashMap<>();

  BodyPeers(GroupRequests requests, CodedSettings settings, BodyMetrics metrics) {
    this.requests = requests;
    this.metrics = metrics;
    this.storeTimeout = new RequestTimeout(settings.timeout(), "coded.timeout");
    this.fetchTimeout = new RequestTimeout(settings.fetchTimeout(), "coded.fetch-timeout");
  }

  /** Sends a chunk; completes with what is durable at the receiver, after the last one. */
  CompletableFuture<Optional<Form>> store(NodeId to, StoreChunk chunk) {
    metrics.sent(chunk.bytes().remaining());
    return requests
        .call(to, RequestKind.STORE_BODY.code(), chunk.encode(), storeTimeout)
        .thenApply(
            response -> {
              acknowledgedNanos.put(to, System.nanoTime());
              return BodyMessages.readStored(response);
            });
  }

  /** When, by {@link System#nanoTime}, the peer has last acknowledged a chunk of any body. */
  OptionalLong lastAcknowledgedNanos(NodeId peer) {
    Long nanos = acknowledgedNanos.get(peer);
    return nanos == null ? OptionalLong.empty() : OptionalLong.of(nanos);
  }

  /** Requests a chunk; empty if the node holds nothing of the body. */
  CompletableFuture<Optional<Fetched>> fetch(NodeId from, Fetch chunk) {
    return requests
        .call(from, RequestKind.FETCH_BODY.code(), List.of(chunk.encode()), fetchTimeout)
        .thenApply(BodyMessages::readFetched);
  }
}
