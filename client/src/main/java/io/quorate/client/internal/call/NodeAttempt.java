package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.Durations;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.PendingRequest;
import io.quorate.client.internal.topology.TopologyReader;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.Optional;

/**
 * An attempt at one node. A response that is received after the next attempt has begun still
 * counts. Used by the event loop only.
 */
final class NodeAttempt implements Attempt, PendingRequest {
  private final ClientContext context;
  private final RegionCall<?> call;
  private final RegionDescriptor region;
  private final NodeId node;
  private final Duration timeout;
  private boolean sent;

  NodeAttempt(
      ClientContext context,
      RegionCall<?> call,
      RegionDescriptor region,
      NodeId node,
      Duration timeout) {
    this.context = context;
    this.call = call;
    this.region = region;
    this.node = node;
    this.timeout = timeout;
  }

  @Override
  public void start() {
    context.pool(node).send(this);
  }

  @Override
  public void abandoned() {
    // Not cancelled: a late response still completes the call.
  }

  @Override
  public boolean isSent() {
    return sent;
  }

  @Override
  public RegionDescriptor region() {
    return region;
  }

  @Override
  public Optional<NodeId> node() {
    return Optional.of(node);
  }

  @Override
  public void timedOut() {
    call.attemptFailed(
        this,
        new AttemptFailure.TimedOut(
            sent,
            timeout.compareTo(context.options().attemptTimeout()) < 0,
            "node " + node + " did not respond within " + Durations.text(timeout)));
  }

  @Override
  public Opcode opcode() {
    return call.request().opcode();
  }

  @Override
  public int bodyBytes() {
    return DataFrames.routingBytes() + call.request().bodyBytes();
  }

  @Override
  public void writeBody(ByteBuf to) {
    sent = true;
    RegionRequest<?> request = call.sent();
    DataFrames.writeRouting(to, TopologyReader.routing(region, timeout));
    request.writeBody(to, region);
  }

  @Override
  public boolean isWanted() {
    return call.isWanted(this);
  }

  @Override
  public void succeeded(ByteBuf body) {
    context.router().responded(node);
    context.writes().learn(region.id(), DataFrames.positionOf(body));
    call.responded(this, body);
  }

  @Override
  public void failed(AttemptFailure failure) {
    call.attemptFailed(this, failure);
  }

  @Override
  public void thrown(Throwable cause) {
    call.thrown(cause);
  }
}
