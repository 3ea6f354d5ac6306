package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ConnectionBoundsTest {
  @Test
  void oneAddressNeverHasAllConnections() {
    ConnectionBounds bounds = new ConnectionBounds(8, 1000);
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
    ConnectionBounds bounds = new ConnectionBounds(8, 1000);
    var first = (ConnectionBounds.Decision.Admit) bounds.decide(new EmbeddedChannel());
    var second = (ConnectionBounds.Decision.Admit) bounds.decide(new EmbeddedChannel());
    assertThat(second.receiving()).isSameAs(first.receiving());
  }

  @Test
  void oneConnectionIsAllowedAtTheSmallestBound() {
    ConnectionBounds bounds = new ConnectionBounds(1, 1000);
    assertThat(bounds.admit("10.0.0.1")).isEmpty();
    assertThat(bounds.admit("10.0.0.2")).isPresent();
  }

  @Test
  void refusedConnectionsAreToldWhyUpToABoundAndCountedUntilTheyAreClosed() {
    ConnectionBounds bounds = new ConnectionBounds(1, 1000);
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
