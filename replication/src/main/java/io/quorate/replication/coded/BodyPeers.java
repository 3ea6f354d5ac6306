package io.quorate.replication.coded;

import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyMessages;
import io.quorate.replication.coded.round.BodyMessages.Fetch;
import io.quorate.replication.coded.round.BodyMessages.Fetched;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.RequestTimeout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The other replicas of a group, as receivers of requests about bodies. Thread-safe; nothing
 * blocks. Futures complete on event loops, and fail with an {@link java.io.IOException} that names
 * the reason.
 */
final class BodyPeers {
  private final GroupRequests requests;
  private final Supplier<Set<NodeId>> others;
  private final BodyMetrics metrics;
  private final RequestTimeout storeTimeout;
  private final RequestTimeout fetchTimeout;

  /** What each peer has acknowledged. */
  private final Map<NodeId, Acknowledged> acknowledged = new ConcurrentHashMap<>();

  /**
   * The chunks that a peer has acknowledged.
   *
   * @param lastNanos when the last one was, by {@link System#nanoTime}; meaningless without any
   * @param bytes the length of all, also of those that it did not need
   */
  record Acknowledged(long lastNanos, long bytes) {
    static final Acknowledged NOTHING = new Acknowledged(0, 0);
  }

  /**
   * @param others the other members at present, and the former ones during a change
   */
  BodyPeers(
      GroupRequests requests,
      Supplier<Set<NodeId>> others,
      CodedSettings settings,
      BodyMetrics metrics) {
    this.requests = requests;
    this.others = others;
    this.metrics = metrics;
    this.storeTimeout = new RequestTimeout(settings.timeout(), "coded.timeout");
    this.fetchTimeout = new RequestTimeout(settings.fetchTimeout(), "coded.fetch-timeout");
  }

  /** The other members at present, and the former ones during a change. */
  Set<NodeId> others() {
    return others.get();
  }

  /** Sends a chunk; completes with what is durable at the receiver, after the last one. */
  CompletableFuture<Optional<Form>> store(NodeId to, StoreChunk chunk) {
    return send(to, RequestKind.STORE_BODY, chunk);
  }

  /** As {@link #store}, of a body to which the state refers, whatever its epoch. */
  CompletableFuture<Optional<Form>> copy(NodeId to, StoreChunk chunk) {
    return send(to, RequestKind.COPY_BODY, chunk);
  }

  private CompletableFuture<Optional<Form>> send(NodeId to, RequestKind kind, StoreChunk chunk) {
    int bytes = chunk.bytes().remaining();
    metrics.sent(bytes);
    return requests
        .call(to, kind.code(), chunk.encode(), storeTimeout)
        .thenApply(
            response -> {
              acknowledged.merge(
                  to,
                  new Acknowledged(System.nanoTime(), bytes),
                  (before, last) ->
                      new Acknowledged(last.lastNanos(), before.bytes() + last.bytes()));
              return BodyMessages.readStored(response);
            });
  }

  /** What the peer has acknowledged of any bodies. */
  Acknowledged acknowledged(NodeId peer) {
    return acknowledged.getOrDefault(peer, Acknowledged.NOTHING);
  }

  /** What each peer has acknowledged that has acknowledged anything. */
  Map<NodeId, Acknowledged> acknowledged() {
    return Map.copyOf(acknowledged);
  }

  /** Requests a chunk; empty if the node holds nothing of the body. */
  CompletableFuture<Optional<Fetched>> fetch(NodeId from, Fetch chunk) {
    return requests
        .call(from, RequestKind.FETCH_BODY.code(), List.of(chunk.encode()), fetchTimeout)
        .thenApply(BodyMessages::readFetched);
  }
}
