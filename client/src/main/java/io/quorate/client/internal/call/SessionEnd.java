package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.PendingRequest;
import io.quorate.client.internal.topology.TopologyReader;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Ends the sessions of a client that is being closed, so that the cluster need not keep them until
 * they expire: one request to each region to which the client has written, all at the same time, to
 * nodes that are connected. A region that does not respond in time keeps the session. Used by the
 * event loop only, once.
 */
final class SessionEnd {
  /** The time that ending the sessions may take. */
  static final Duration TIME_MAX = Duration.ofMillis(500);

  private final ClientContext context;
  private final Runnable then;
  private int open = 1;
  private boolean done;

  private SessionEnd(ClientContext context, Runnable then) {
    this.context = context;
    this.then = then;
  }

  /** Sends the requests, and runs {@code then} once when all have ended, or the time has passed. */
  static void begin(ClientContext context, Runnable then) {
    SessionEnd end = new SessionEnd(context, then);
    Optional<TopologySnapshot> topology = context.router().topology();
    Set<RegionDescriptor> regions =
        topology.stream()
            .flatMap(present -> present.regions().stream())
            .filter(region -> context.writes().mayHaveSession(region.id()))
            .collect(Collectors.toSet());
    if (!regions.isEmpty()) {
      context.loop().schedule(end::finish, TIME_MAX.toNanos(), TimeUnit.NANOSECONDS);
      regions.forEach(end::send);
    }
    end.ended();
  }

  private void send(RegionDescriptor region) {
    NodeId node = context.router().choose(region, false, Optional.empty(), context::isConnected);
    if (context.isConnected(node)) {
      open++;
      context.pool(node).send(new EndRequest(region, context.writes().lastTag()));
    }
  }

  private void ended() {
    open--;
    if (open == 0) {
      finish();
    }
  }

  private void finish() {
    if (!done) {
      done = true;
      then.run();
    }
  }

  private final class EndRequest implements PendingRequest {
    private final RegionDescriptor region;
    private final ClientCommand command;

    EndRequest(RegionDescriptor region, RequestId tag) {
      this.region = region;
      this.command = new ClientCommand(tag, new Operation.EndSession());
    }

    @Override
    public Opcode opcode() {
      return Opcode.WRITE;
    }

    @Override
    public int bodyBytes() {
      return DataFrames.routingBytes() + command.size();
    }

    @Override
    public void writeBody(ByteBuf to) {
      DataFrames.writeRouting(to, TopologyReader.routing(region, TIME_MAX));
      command.encode(to.nioBuffer(to.writerIndex(), command.size()));
      to.writerIndex(to.writerIndex() + command.size());
    }

    @Override
    public boolean isWanted() {
      return !done;
    }

    @Override
    public void succeeded(ByteBuf body) {
      ended();
    }

    @Override
    public void failed(AttemptFailure failure) {
      ended();
    }

    @Override
    public void thrown(Throwable cause) {
      ended();
    }
  }
}
