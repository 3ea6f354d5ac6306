package io.quorate.storage.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Bytes;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EncodingTest {
  @Test
  void decodingReturnsTheEncodedSession() throws IOException {
    Session session = new Session(5, new Position(2, 9));
    session.results().put(5L, new byte[] {0});
    session.results().put(300L, Session.IN_OWN_ROW);
    session.results().put(1L << 40, new byte[64]);
    Session read = SessionRows.decode(Bytes.of(SessionRows.encode(session)));
    assertThat(read.floor()).isEqualTo(5);
    assertThat(read.lastActive()).isEqualTo(new Position(2, 9));
    assertThat(read.results()).containsOnlyKeys(5L, 300L, 1L << 40);
    assertThat(read.results().get(300L)).isSameAs(Session.IN_OWN_ROW);
    assertThat(read.results().get(1L << 40)).hasSize(64);
    assertThat(read.ownRows()).containsExactly(300L);
  }

  @Test
  void damagedSessionIsRejected() {
    Session session = new Session(0, Position.NONE);
    session.results().put(1L, new byte[40]);
    byte[] row = Bytes.of(SessionRows.encode(session));
    for (int length = 0; length < row.length; length++) {
      byte[] cut = Arrays.copyOf(row, length);
      assertThatThrownBy(() -> SessionRows.decode(cut)).isInstanceOf(IOException.class);
    }
    row[0] = 9;
    assertThatThrownBy(() -> SessionRows.decode(row)).hasMessageContaining("format 9");
  }

  @Test
  void raisingTheFloorRemovesTheResultsBelow() {
    Session session = new Session(1, Position.NONE);
    session.results().put(1L, Session.IN_OWN_ROW);
    session.results().put(2L, new byte[] {0});
    session.results().put(3L, Session.IN_OWN_ROW);
    assertThat(session.raiseFloor(3)).containsExactly(1L);
    assertThat(session.results()).containsOnlyKeys(3L);
    assertThat(session.raiseFloor(2)).isEmpty();
    assertThat(session.floor()).isEqualTo(3);
  }

  @Test
  void rowsOfARegionLieBetweenItsBounds() throws IOException {
    GroupId region = new GroupId(Integer.MAX_VALUE);
    ClientId client = new ClientId(-1, -1);
    byte[] session = SessionRows.sessionKey(region, client);
    byte[] result = SessionRows.resultKey(region, client, -1);
    assertThat(SessionRows.client(session)).isEqualTo(client);
    assertThat(Arrays.compareUnsigned(SessionRows.regionStart(region), session)).isNegative();
    assertThat(Arrays.compareUnsigned(session, SessionRows.sessionsEnd(region))).isNegative();
    assertThat(Arrays.compareUnsigned(SessionRows.sessionsEnd(region), result)).isNegative();
    assertThat(Arrays.compareUnsigned(result, SessionRows.regionEnd(region))).isNegative();
  }
}
