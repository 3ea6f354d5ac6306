package io.quorate.replication.coded;

import io.quorate.common.DecodeException;
import io.quorate.common.LogLimit;
import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.IncomingBodies.Received;
import io.quorate.replication.coded.round.BodyMessages;
import io.quorate.replication.coded.round.BodyMessages.Fetch;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the requests of the other members: stores what they send and responds when it is durable,
 * and sends what this node holds. Called on event loops; neither blocks nor throws.
 */
final class BodyReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(BodyReceiver.class);
  private static final LogLimit UNREADABLE = new LogLimit();

  /** How long a body is accepted. */
  private enum Until {
    ITS_TERM_ENDS,
    NO_END
  }

  private final GroupId group;
  private final NodeId self;
  private final Supplier<Set<NodeId>> others;
  private final LocalBodies local;
  private final IncomingBodies incoming;
  private final Executor workers;
  private final LongSupplier term;

  /**
   * @param others the other members at present, and the former ones during a change
   * @param workers executes checksums and reads of the disk
   * @param term the current term of this replica
   */
  BodyReceiver(
      GroupId group,
      NodeId self,
      Supplier<Set<NodeId>> others,
      LocalBodies local,
      IncomingBodies incoming,
      Executor workers,
      LongSupplier term) {
    this.group = group;
    this.self = self;
    this.others = others;
    this.local = local;
    this.incoming = incoming;
    this.workers = workers;
    this.term = term;
  }

  /** Stores a body whose header is not proposed yet. */
  CompletableFuture<ByteBuffer> store(NodeId from, ByteBuffer request) {
    return store(from, request, Until.ITS_TERM_ENDS);
  }

  /** Stores a body to which the state refers. */
  CompletableFuture<ByteBuffer> copy(NodeId from, ByteBuffer request) {
    return store(from, request, Until.NO_END);
  }

  private CompletableFuture<ByteBuffer> store(NodeId from, ByteBuffer request, Until accepted) {
    try {
      requireMember(from);
      StoreChunk chunk = StoreChunk.decode(request);
      CodedPoints.CHUNK_RECEIVED.reached(step(from, chunk.epoch(), chunk.number()));
      long current = term.getAsLong();
      if (accepted == Until.ITS_TERM_ENDS && current > chunk.epoch()) {
        // Its header can have no effect any more: the body would be garbage (ADR 0029, rule 3).
        throw new IOException(
            "The term of this replica is " + current + ", beyond " + chunk.epoch() + ".");
      }
      return incoming
          .accept(from, chunk, System.nanoTime())
          .map(body -> storeReceived(from, body))
          .orElseGet(() -> CompletableFuture.completedFuture(Optional.<Form>empty()))
          .thenApply(BodyMessages::stored);
    } catch (IOException | DecodeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Optional<Form>> storeReceived(NodeId from, Received body) {
    return CompletableFuture.completedFuture(body)
        .thenComposeAsync(received -> storeIfIntact(from, received), workers)
        .thenApply(durable -> acknowledge(from, body, durable))
        .whenComplete((durable, failure) -> incoming.release(body));
  }

  private CompletableFuture<Form> storeIfIntact(NodeId from, Received body) {
    StoreChunk first = body.first();
    if (!body.isIntact()) {
      return CompletableFuture.failedFuture(
          new IOException(
              String.format(
                  Locale.ROOT,
                  "Body %d:%d does not match its checksum.",
                  first.epoch(),
                  first.number())));
    }
    BodyId id = new BodyId(group, first.epoch(), first.number());
    CodedPoints.BEFORE_STORE.passed(new CodedPoints.Step(self, from, id));
    return local.store(id, first.form(), first.index(), body.content());
  }

  private Optional<Form> acknowledge(NodeId from, Received body, Form durable) {
    StoreChunk first = body.first();
    CodedPoints.BEFORE_ACKNOWLEDGEMENT.passed(step(from, first.epoch(), first.number()));
    return Optional.of(durable);
  }

  private CodedPoints.Step step(NodeId from, long epoch, long number) {
    return new CodedPoints.Step(self, from, new BodyId(group, epoch, number));
  }

  CompletableFuture<ByteBuffer> fetch(NodeId from, ByteBuffer request) {
    try {
      requireMember(from);
      Fetch part = Fetch.decode(request);
      CodedPoints.FETCH_RECEIVED.reached(step(from, part.epoch(), part.number()));
      return CompletableFuture.completedFuture(part).thenApplyAsync(this::held, workers);
    } catch (IOException | DecodeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private ByteBuffer held(Fetch part) {
    BodyId id = new BodyId(group, part.epoch(), part.number());
    try {
      if (part.offset() == 0 && part.length() > 0) {
        // Whoever begins to fetch it would find out only at the end, and this node not at all.
        local.verify(id);
      }
      return BodyMessages.fetched(local.part(id, part.offset(), part.length()));
    } catch (IOException e) {
      UNREADABLE.log(
          leftOut ->
              LOG.warn(
                  "A body that another node requests cannot be read here region={} body={}:{}{}",
                  group,
                  part.epoch(),
                  part.number(),
                  LogLimit.text(leftOut),
                  e));
      throw new CompletionException(e);
    }
  }

  private void requireMember(NodeId from) throws IOException {
    if (!others.get().contains(from)) {
      throw new IOException("Node " + from + " is no member of group " + group + ".");
    }
  }
}
