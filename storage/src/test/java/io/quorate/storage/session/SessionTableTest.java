package io.quorate.storage.session;

import static io.quorate.storage.TestRegion.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.TestRegion;
import io.quorate.storage.session.SessionTable.Arrival;
import io.quorate.storage.session.SessionTable.OwnRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SessionTableTest {
  private static final byte[] RESULT = {1};

  private final List<ClientId> removed = new ArrayList<>();

  private final SessionTable sessions =
      new SessionTable(
          TestRegion.GROUP,
          10,
          2,
          4,
          1,
          new OwnRows() {
            @Override
            public void dropped(ClientId client, long sequence) {}

            @Override
            public void removed(ClientId client) {
              removed.add(client);
            }
          });

  private static ClientId client(long number) {
    return new ClientId(1, number);
  }

  /** A request of a call that began before every position. */
  private static RequestId tag(long client, long sequence) {
    return tag(client, sequence, 1, 0);
  }

  private static RequestId tag(long client, long sequence, long floor, long known) {
    return new RequestId(
        client(client), sequence, floor, KnownPosition.of(TestRegion.GROUP, at(known)));
  }

  private void executed(RequestId tag, long index) {
    assertThat(sessions.arrived(tag, at(index))).isEqualTo(Arrival.TAKES_EFFECT);
    sessions.remember(tag, RESULT);
  }

  @Test
  void aCallThatBeganBeforeARemovedSessionWasActiveIsOutdated() {
    executed(tag(1, 1, 1, 4), 5);
    executed(tag(2, 1, 1, 4), 6);
    sessions.expire(at(6));
    assertThat(removed).containsExactly(client(1));
    assertThat(sessions.arrived(tag(1, 1, 1, 4), at(7))).isEqualTo(Arrival.OUTDATED);
    assertThat(sessions.session(client(1))).isEmpty();
    assertThat(sessions.arrived(tag(2, 1, 1, 4), at(8))).isEqualTo(Arrival.REPEATED);

    executed(tag(1, 2, 2, 5), 9);
    assertThat(sessions.arrived(tag(1, 1, 1, 4), at(10))).isEqualTo(Arrival.OUTDATED);
  }

  /** The client was suspended with a call, and has begun another one since. */
  @Test
  void aCopyIsOutdatedAlsoWhereTheClientHasANewSessionWithALowFloor() {
    executed(tag(1, 7, 7, 4), 5);
    sessions.expire(at(6));
    executed(tag(1, 8, 7, 6), 7);
    assertThat(sessions.arrived(tag(1, 7, 7, 4), at(8))).isEqualTo(Arrival.OUTDATED);
  }

  @Test
  void aClientThatKnowsNoPositionIsAcceptedUntilASessionIsRemoved() {
    executed(new RequestId(client(1), 1, 1), 1);
    sessions.expire(at(1));
    executed(new RequestId(client(1), 2, 1), 2);
    sessions.expire(at(3));
    assertThat(sessions.arrived(new RequestId(client(1), 3, 1), at(4))).isEqualTo(Arrival.OUTDATED);
  }

  @Test
  void aNewClientTakesThePlaceOfTheOneThatWasInactiveForLongest() {
    executed(tag(1, 1), 1);
    executed(tag(2, 1), 2);
    executed(tag(1, 2), 3);
    executed(tag(3, 1, 1, 3), 4);
    assertThat(removed).containsExactly(client(2));
    assertThat(sessions.arrived(tag(2, 1), at(5))).isEqualTo(Arrival.OUTDATED);
    assertThat(sessions.arrived(tag(1, 1), at(6))).isEqualTo(Arrival.REPEATED);
    assertThat(sessions.count()).isEqualTo(2);
  }

  /** Its call may have been executed when the removed one was active, for all the region knows. */
  @Test
  void aNewClientIsOutdatedIfItsCallBeganBeforeTheOneWhosePlaceItTakes() {
    executed(tag(1, 1), 1);
    executed(tag(2, 1), 2);
    assertThat(sessions.arrived(tag(3, 1, 1, 0), at(3))).isEqualTo(Arrival.OUTDATED);
    executed(tag(3, 2, 2, 3), 4);
  }

  @Test
  void clientsThatAreActiveAtOnePositionExceedTheBound() {
    for (int number = 1; number <= 5; number++) {
      executed(tag(number, 1), 1);
    }
    assertThat(sessions.count()).isEqualTo(5);
    executed(tag(6, 1, 1, 1), 2);
    assertThat(sessions.count()).isEqualTo(1);
  }

  @Test
  void resultsOfAllClientsTogetherAreBounded() {
    for (int sequence = 1; sequence <= 3; sequence++) {
      executed(tag(1, sequence), sequence);
    }
    executed(tag(2, 1), 4);
    executed(tag(2, 2, 1, 4), 5);
    assertThat(removed).containsExactly(client(1));
    assertThat(sessions.arrived(tag(1, 3), at(6))).isEqualTo(Arrival.OUTDATED);
    // Its own results are not removed, however many there are.
    for (int sequence = 3; sequence <= 8; sequence++) {
      executed(tag(2, sequence, 1, 4), 4 + sequence);
    }
    assertThat(sessions.arrived(tag(2, 1), at(13))).isEqualTo(Arrival.REPEATED);
  }

  @Test
  void copiesOfRequestsOfAClientThatHasEndedItsSessionAreOutdated() {
    executed(tag(1, 1), 1);
    sessions.end(client(1));
    assertThat(sessions.arrived(tag(1, 1), at(2))).isEqualTo(Arrival.OUTDATED);
    assertThat(sessions.arrived(tag(1, 2, 2, 1), at(3))).isEqualTo(Arrival.OUTDATED);
    assertThat(sessions.session(client(1)).orElseThrow().results()).isEmpty();
    // Another client does not notice.
    executed(tag(2, 1), 4);
    sessions.end(client(3));
    assertThat(sessions.count()).isEqualTo(2);
  }

  @Test
  void sessionsThatHaveEndedAreRemovedBehindTheFence() {
    executed(tag(1, 1), 1);
    executed(tag(2, 1), 2);
    sessions.end(client(2));
    sessions.end(client(1));
    assertThat(removed).containsExactly(client(1));
    assertThat(sessions.arrived(tag(1, 1), at(3))).isEqualTo(Arrival.OUTDATED);
    assertThat(sessions.arrived(tag(2, 1), at(4))).isEqualTo(Arrival.OUTDATED);
    sessions.expire(at(5));
    assertThat(sessions.arrived(tag(2, 1), at(6))).isEqualTo(Arrival.OUTDATED);
    executed(tag(3, 1, 1, 2), 7);
  }

  @Test
  void aSessionThatHasEndedInOneOfTwoMergedRegionsHasEnded() {
    MovedSession ended = new MovedSession(client(1), Session.ENDED, new TreeMap<>());
    MovedSession open = new MovedSession(client(1), 1, new TreeMap<>(Map.of(1L, RESULT)));
    executed(tag(1, 1), 1);
    sessions.absorb(ended, at(2));
    assertThat(sessions.arrived(tag(1, 1), at(3))).isEqualTo(Arrival.OUTDATED);
    sessions.absorb(open, at(4));
    assertThat(sessions.arrived(tag(1, 1), at(5))).isEqualTo(Arrival.OUTDATED);
    // It counts once.
    executed(tag(2, 1), 6);
    sessions.end(client(2));
    assertThat(removed).containsExactly(client(1));
  }

  @Test
  void aChildInheritsTheSessionsThatWereActiveLastAndOutdatesTheCallsOfTheOthers() {
    SessionTable parent = new SessionTable(TestRegion.GROUP, 10, 16, 1 << 10, 1, OwnRows.UNWRITTEN);
    GroupId id = new GroupId(TestRegion.GROUP.value() + 1);
    for (int number = 1; number <= 4; number++) {
      assertThat(parent.arrived(tag(number, 1), at(number))).isEqualTo(Arrival.TAKES_EFFECT);
      parent.remember(tag(number, 1), RESULT);
    }
    SessionTable.Inheritance inheritance = parent.inheritance(id);
    assertThat(inheritance.sessions()).containsOnlyKeys(client(3), client(4));
    SessionTable child = new SessionTable(id, 10, 16, 1 << 10, 1, OwnRows.UNWRITTEN);
    inheritance.sessions().forEach(child::add);
    child.fence(inheritance.fence());
    assertThat(child.arrived(tag(2, 1), at(1))).isEqualTo(Arrival.OUTDATED);
    assertThat(child.arrived(tag(3, 1), at(2))).isEqualTo(Arrival.REPEATED);
    assertThat(child.arrived(tag(5, 1, 1, 2), at(3))).isEqualTo(Arrival.TAKES_EFFECT);
    assertThat(child.arrived(new RequestId(client(6), 1, 1), at(4))).isEqualTo(Arrival.OUTDATED);
  }

  /** As after a restart. */
  @Test
  void loadedSessionsCountTowardsTheBounds() {
    Session loaded = new Session(1, at(1));
    for (long sequence = 1; sequence <= 4; sequence++) {
      loaded.results().put(sequence, RESULT);
    }
    sessions.add(client(1), loaded);
    executed(tag(2, 1, 1, 1), 2);
    assertThat(removed).containsExactly(client(1));
  }
}
