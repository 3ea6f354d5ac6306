package io.quorate.storage.session;

import static io.quorate.storage.TestRegion.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import io.quorate.storage.session.SessionTable.Arrival;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTableTest {
  private static final byte[] RESULT = {1};

  private final SessionTable sessions = new SessionTable(10, 2, 4, (client, sequence) -> {});

  private static RequestId tag(long client, long sequence) {
    return tag(client, sequence, 1);
  }

  private static RequestId tag(long client, long sequence, long floor) {
    return new RequestId(new ClientId(1, client), sequence, floor);
  }

  private void executed(RequestId tag, long index) {
    assertThat(sessions.arrived(tag, at(index))).isEqualTo(Arrival.TAKES_EFFECT);
    sessions.remember(tag, RESULT);
  }

  @Test
  void aNewClientIsRejectedInsteadOfEvictingAnother() {
    executed(tag(1, 1), 1);
    executed(tag(2, 1), 2);
    assertThat(sessions.arrived(tag(3, 1), at(3))).isEqualTo(Arrival.FULL);
    assertThat(sessions.count()).isEqualTo(2);
    assertThat(sessions.session(new ClientId(1, 3))).isEmpty();

    assertThat(sessions.arrived(tag(1, 1), at(4))).isEqualTo(Arrival.REPEATED);
    executed(tag(1, 2), 5);
    executed(tag(2, 2), 6);
  }

  @Test
  void anExpiredClientFreesCapacity() {
    executed(tag(1, 1), 1);
    executed(tag(2, 1), 2);
    List<ClientId> expired = new ArrayList<>();
    sessions.expire(at(2), expired::add);
    assertThat(expired).containsExactly(new ClientId(1, 1));
    executed(tag(3, 1), 3);
    assertThat(sessions.arrived(tag(1, 1), at(4))).isEqualTo(Arrival.FULL);
  }

  @Test
  void resultsOfAllClientsTogetherAreBounded() {
    for (int sequence = 1; sequence <= 3; sequence++) {
      executed(tag(1, sequence), sequence);
    }
    executed(tag(2, 1), 4);
    assertThat(sessions.arrived(tag(2, 2), at(5))).isEqualTo(Arrival.FULL);
    assertThat(sessions.arrived(tag(1, 3), at(6))).isEqualTo(Arrival.REPEATED);

    executed(tag(1, 4, 3), 7);
    executed(tag(2, 2), 8);
    assertThat(sessions.arrived(tag(2, 3), at(9))).isEqualTo(Arrival.FULL);

    sessions.expire(at(8), client -> {});
    executed(tag(3, 1), 10);
    executed(tag(2, 3), 11);
    assertThat(sessions.arrived(tag(2, 4), at(12))).isEqualTo(Arrival.FULL);
  }

  /** As after a restart. */
  @Test
  void loadedSessionsCountTowardsTheBounds() {
    Session loaded = new Session(1, at(1));
    for (long sequence = 1; sequence <= 4; sequence++) {
      loaded.results().put(sequence, RESULT);
    }
    sessions.add(new ClientId(1, 1), loaded);
    assertThat(sessions.arrived(tag(2, 1), at(2))).isEqualTo(Arrival.FULL);
    executed(tag(1, 5, 2), 3);
  }
}
