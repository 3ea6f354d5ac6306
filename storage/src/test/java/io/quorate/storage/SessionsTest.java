package io.quorate.storage;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static io.quorate.storage.TestRegion.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.NativeScope;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionsTest {
  private static final ClientId ANN = new ClientId(1, 1);
  private static final ClientId BEN = new ClientId(1, 2);

  @TempDir Path directory;

  @Test
  void requestTakesEffectOnceHoweverOftenItIsCommitted() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      ClientCommand request = by(ANN, 1, 1, incrementAndGet("n", 1));
      assertThat(region.apply(request)).isEqualTo(number(1));
      assertThat(region.apply(request)).isEqualTo(number(1));
      assertThat(TestRegion.results(region.commit(List.of(request, request))))
          .containsOnly(number(1));
      assertThat(region.apply(by(BEN, 1, 1, incrementAndGet("n", 1)))).isEqualTo(number(2));
      assertThat(region.get("n")).contains("2");
      assertThat(region.store.sessionCount()).isEqualTo(2);
    }
  }

  @Test
  void requestTwiceInOneBatchTakesEffectOnce() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      String large = "x".repeat(5_000);
      region.apply(put("k", large));
      ClientCommand small = by(ANN, 1, 0, incrementAndGet("n", 1));
      ClientCommand swap = by(ANN, 2, 0, getAndPut("k", "y"));
      assertThat(TestRegion.results(region.commit(List.of(small, swap, swap, small))))
          .containsExactly(number(1), value(large), value(large), number(1));
    }
  }

  @Test
  void repeatedRequestIsRecognisedAfterReopening() throws IOException {
    String large = "x".repeat(5_000);
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", large));
      region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)));
      region.apply(by(ANN, 3, 1, getAndPut("k", "y")));
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.store.sessionCount()).isEqualTo(1);
      assertThat(region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)))).isEqualTo(number(1));
      assertThat(region.apply(by(ANN, 3, 1, getAndPut("k", "z")))).isEqualTo(value(large));
      assertThat(region.apply(by(ANN, 2, 1, incrementAndGet("n", 1)))).isEqualTo(number(2));
      assertThat(region.get("k")).contains("y");
    }
  }

  @Test
  void requestBelowTheFloorIsForgottenAndTakesNoEffect() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)));
      region.apply(by(ANN, 5, 3, incrementAndGet("n", 1)));
      assertThat(region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)))).isEqualTo(Result.FORGOTTEN);
      assertThat(region.apply(by(ANN, 2, 2, incrementAndGet("n", 1)))).isEqualTo(Result.FORGOTTEN);
      assertThat(region.apply(by(ANN, 3, 1, incrementAndGet("n", 1)))).isEqualTo(number(3));
      assertThat(region.apply(by(ANN, 5, 4, incrementAndGet("n", 1)))).isEqualTo(number(2));
      assertThat(region.apply(by(ANN, 3, 3, incrementAndGet("n", 1)))).isEqualTo(Result.FORGOTTEN);
      assertThat(region.get("n")).contains("3");
    }
  }

  @Test
  void anonymousClientIsNotTracked() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      ClientCommand request = untagged(incrementAndGet("n", 1));
      assertThat(region.apply(request)).isEqualTo(number(1));
      assertThat(region.apply(request)).isEqualTo(number(2));
      assertThat(region.store.sessionCount()).isZero();
    }
  }

  /** Not refused: no session stores the request, which takes effect when the floor has risen. */
  @Test
  void aRequestBeyondTheWindowIsIndeterminateUntilTheFloorRises() throws IOException {
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, 3)) {
      for (int sequence = 1; sequence <= 3; sequence++) {
        assertThat(region.apply(by(ANN, sequence, 1, incrementAndGet("n", 1))))
            .isEqualTo(number(sequence));
      }
      assertThat(region.apply(by(ANN, 4, 1, incrementAndGet("n", 1)))).isEqualTo(Result.FORGOTTEN);
      assertThat(region.apply(by(ANN, 2, 1, incrementAndGet("n", 1)))).isEqualTo(number(2));
      assertThat(region.apply(by(ANN, 4, 2, incrementAndGet("n", 1)))).isEqualTo(number(4));
      assertThat(region.get("n")).contains("4");
    }
  }

  @Test
  void rowsOfLongResultsAreDeletedWhenTheFloorPassesThem() throws IOException {
    String large = "x".repeat(1_000);
    try (TestRegion region = TestRegion.open(directory)) {
      for (int sequence = 1; sequence <= 4; sequence++) {
        region.apply(by(ANN, sequence, 1, getAndPut("k", large)));
      }
      // The result of the first request is the absence of a value, which is short.
      assertThat(sessionRows(region)).isEqualTo(1 + 3);
      region.apply(by(ANN, 5, 4, incrementAndGet("n", 1)));
      assertThat(sessionRows(region)).isEqualTo(1 + 1);
      region.apply(by(BEN, 1, 1, new Operation.ExpireSessions(TestRegion.at(100))));
      assertThat(sessionRows(region)).as("the fence").isEqualTo(1);
    }
  }

  @Test
  void aSessionThatHasEndedIsOneShortRow() throws IOException {
    String large = "x".repeat(1_000);
    ClientCommand last = by(ANN, 4, 1, getAndPut("k", large));
    try (TestRegion region = TestRegion.open(directory)) {
      for (int sequence = 1; sequence <= 3; sequence++) {
        region.apply(by(ANN, sequence, 1, getAndPut("k", large)));
      }
      region.apply(last);
      region.apply(put("k", "v"));
      assertThat(region.apply(by(ANN, 5, 5, new Operation.EndSession()))).isEqualTo(Result.DONE);
      assertThat(sessionRows(region)).isEqualTo(1);
      assertThat(region.apply(last)).isEqualTo(Result.OUTDATED);
      assertThat(region.apply(by(BEN, 1, 1, incrementAndGet("n", 1)))).isEqualTo(number(1));
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.apply(last)).isEqualTo(Result.OUTDATED);
      assertThat(region.get("k")).contains("v");
      assertThat(region.apply(by(ANN, 6, 6, new Operation.EndSession()))).isEqualTo(Result.DONE);
      assertThat(region.apply(by(new ClientId(3, 3), 1, 1, new Operation.EndSession())))
          .isEqualTo(Result.DONE);
      assertThat(region.store.sessionCount()).isEqualTo(2);
    }
  }

  private static int sessionRows(TestRegion region) throws IOException {
    try (NativeScope scope = region.storage.database().child("test")) {
      Database.Cursor cursor =
          region
              .storage
              .database()
              .cursor(
                  scope,
                  Family.SESSIONS,
                  SessionRows.regionStart(TestRegion.GROUP),
                  Optional.of(SessionRows.regionEnd(TestRegion.GROUP)),
                  Optional.empty());
      int rows = 0;
      for (; cursor.isAtRow(); cursor.next()) {
        rows++;
      }
      return rows;
    }
  }

  @Test
  void sessionsExpireByTheirLastActivity() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)));
      region.apply(by(BEN, 1, 1, incrementAndGet("n", 1)));
      region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)));
      assertThat(region.lastIndex()).isEqualTo(2);
      assertThat(region.applyOne(new Operation.ExpireSessions(TestRegion.at(2))))
          .isEqualTo(Result.DONE);
      assertThat(region.store.sessionCount()).isEqualTo(1);
      assertThat(region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)))).isEqualTo(number(1));
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.store.sessionCount()).isEqualTo(1);
      assertThat(region.apply(by(BEN, 1, 1, incrementAndGet("n", 1)))).isEqualTo(Result.OUTDATED);
      assertThat(region.apply(since(1, by(BEN, 2, 2, incrementAndGet("n", 1)))))
          .isEqualTo(number(3));
    }
  }

  private static ClientCommand since(long known, ClientCommand command) {
    return TestRegion.since(TestRegion.GROUP, known, command);
  }

  /** The fence outlives the session, the process and a snapshot. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLateCopyHasNoEffectAfterItsSessionHasExpired(boolean isAhead) throws IOException {
    StorageOptions options =
        TestRegion.OPTIONS.toBuilder().replyAtCommit(isAhead).readAcceleration(isAhead).build();
    try (TestRegion region = TestRegion.open(directory, options)) {
      region.apply(put("n", "0"));
      ClientCommand request = since(0, by(ANN, 7, 7, incrementAndGet("n", 1)));
      ClientCommand add = since(0, by(BEN, 7, 7, TestRegion.increment("n", 1)));
      assertThat(region.apply(request)).isEqualTo(number(1));
      assertThat(region.apply(add)).isEqualTo(Result.DONE);
      assertThat(region.apply(request)).isEqualTo(number(1));
      region.applyOne(new Operation.ExpireSessions(TestRegion.at(100)));
      assertThat(region.apply(request)).isEqualTo(Result.OUTDATED);
      assertThat(region.apply(add)).isEqualTo(Result.OUTDATED);
      assertThat(region.get("n")).contains("2");
    }
    try (TestRegion region = TestRegion.open(directory, options)) {
      ClientCommand request = since(0, by(ANN, 7, 7, incrementAndGet("n", 1)));
      ClientCommand add = since(0, by(BEN, 7, 7, TestRegion.increment("n", 1)));
      assertThat(region.apply(request)).isEqualTo(Result.OUTDATED);
      assertThat(region.apply(add)).isEqualTo(Result.OUTDATED);
      assertThat(region.get("n")).contains("2");
      long known = region.lastIndex();
      assertThat(region.apply(since(known, by(ANN, 8, 7, incrementAndGet("n", 1)))))
          .isEqualTo(number(3));
      assertThat(region.apply(request)).isEqualTo(Result.OUTDATED);
    }
  }

  @Test
  void clientMayReturnInTheWriteThatExpiredIt() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(by(ANN, 1, 1, put("k", "v")));
      region.commit(
          List.of(
              untagged(new Operation.ExpireSessions(TestRegion.at(50))),
              since(0, by(ANN, 2, 2, incrementAndGet("n", 1)))));
      region.awaitApplied(region.lastIndex());
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.store.sessionCount()).isEqualTo(1);
      assertThat(region.apply(by(ANN, 2, 2, incrementAndGet("n", 1)))).isEqualTo(number(1));
    }
  }

  @Test
  void redeliveredBatchReturnsStoredResults() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      List<ClientCommand> requests =
          List.of(by(ANN, 1, 1, incrementAndGet("n", 1)), untagged(put("k", "v")));
      assertThat(TestRegion.results(region.commitAt(3, requests)))
          .containsExactly(number(1), Result.DONE);
      assertThat(TestRegion.results(region.commitAt(3, requests)))
          .containsExactly(number(1), Result.FORGOTTEN);
      assertThat(region.get("n")).contains("1");
    }
  }

  @Test
  void rejectedRequestIsStoredLikeAnyOther() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("n", "text"));
      ClientCommand request = by(ANN, 1, 1, incrementAndGet("n", 1));
      Result rejected = region.apply(request);
      assertThat(rejected).isInstanceOf(Result.Refused.class);
      region.apply(put("n", "1"));
      assertThat(region.apply(request)).isEqualTo(rejected);
      assertThat(region.get("n")).contains("1");
    }
  }
}
