package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.common.Budget;
import org.junit.jupiter.api.Test;

class ConnectionBoundsTest {
  private final Budget node = new Budget(8, 800);

  private ConnectionBounds bounds(int connectionsMax) {
    return new ConnectionBounds(connectionsMax, 1000, () -> node.share(6, 600));
  }

  /** As when it reads no responses. */
  @Test
  void theConnectionsOfAnAddressShareARestrictedPartOfTheNode() {
    ConnectionBounds bounds = bounds(8);
    var first = (ConnectionBounds.Decision.Admit) bounds.decide(new EmbeddedChannel());
    var second = (ConnectionBounds.Decision.Admit) bounds.decide(new EmbeddedChannel());
    assertThat(first.inFlight().tryAcquire(500)).isTrue();
    assertThat(second.inFlight().tryAcquire(200)).isFalse();
    assertThat(second.inFlight().tryAcquire(100)).isTrue();
    assertThat(node.bytes()).isEqualTo(600);
    assertThat(node.share(6, 600).tryAcquire(200)).as("of another address").isTrue();
    second.inFlight().release(100);
    first.inFlight().release(500);
    assertThat(node.requests()).isEqualTo(1);
    assertThat(node.bytes()).isEqualTo(200);
  }

  @Test
  void oneAddressNeverHasAllConnections() {
    ConnectionBounds bounds = bounds(8);
    for (int i = 0; i < 6; i++) {
      assertThat(bounds.admit("10.0.0.1")).isEmpty();
    }
    assertThat(bounds.admit("10.0.0.1").orElseThrow()).contains("10.0.0.1").contains("6");
    assertThat(bounds.admit("10.0.0.2")).isEmpty();
    assertThat(bounds.admit("10.0.0.3")).isEmpty();
    assertThat(bounds.admit("10.0.0.4").orElseThrow()).contains("8 connections");
    bounds.released("10.0.0.1");
    assertThat(bounds.admit("10.0.0.1")).isEmpty();
  }

  @Test
  void theConnectionsOfAnAddressShareWhatTheyMayReceive() {
    ConnectionBounds bounds = bounds(8);
    var first = (ConnectionBounds.Decision.Admit) bounds.decide(new EmbeddedChannel());
    var second = (ConnectionBounds.Decision.Admit) bounds.decide(new EmbeddedChannel());
    assertThat(second.receiving()).isSameAs(first.receiving());
  }

  @Test
  void oneConnectionIsAllowedAtTheSmallestBound() {
    ConnectionBounds bounds = bounds(1);
    assertThat(bounds.admit("10.0.0.1")).isEmpty();
    assertThat(bounds.admit("10.0.0.2")).isPresent();
  }

  @Test
  void refusedConnectionsAreToldWhyUpToABoundAndCountedUntilTheyAreClosed() {
    ConnectionBounds bounds = bounds(1);
    EmbeddedChannel first = new EmbeddedChannel();
    assertThat(bounds.decide(first)).isInstanceOf(ConnectionBounds.Decision.Admit.class);
    EmbeddedChannel refused = new EmbeddedChannel();
    assertThat(bounds.decide(refused)).isInstanceOf(ConnectionBounds.Decision.Refuse.class);
    for (int i = 1; i < 256; i++) {
      bounds.decide(new EmbeddedChannel());
    }
    assertThat(bounds.decide(new EmbeddedChannel()))
        .isInstanceOf(ConnectionBounds.Decision.Close.class);
    refused.close();
    assertThat(bounds.decide(new EmbeddedChannel()))
        .isInstanceOf(ConnectionBounds.Decision.Refuse.class);
    first.close();
    assertThat(bounds.decide(new EmbeddedChannel()))
        .isInstanceOf(ConnectionBounds.Decision.Admit.class);
  }
}
