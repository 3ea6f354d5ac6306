package io.quorate.storage.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionsUndoTest {
  private static final GroupId REGION = new GroupId(1);
  private static final int CLIENTS = 12;
  private static final int WINDOW = 4;
  private static final int SEQUENCES = 40;

  @TempDir private Path directory;
  private Database database;
  private long index;

  @BeforeEach
  void open() throws IOException {
    database = Database.open(directory.resolve("db"), StorageOptions.DEFAULT);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Sessions load() throws IOException {
    return Sessions.load(database, REGION, WINDOW);
  }

  @Test
  void whatIsTakenBackIsAsItWasWritten() throws IOException {
    long seed = new Random().nextLong();
    System.out.println("Seed of whatIsTakenBackIsAsItWasWritten: " + seed);
    Random random = new Random(seed);
    Sessions sessions = load();
    for (int round = 0; round < 400; round++) {
      for (int i = random.nextInt(10); i >= 0; i--) {
        change(sessions, random);
      }
      if (random.nextBoolean()) {
        write(sessions);
      } else {
        sessions.undo();
      }
      assertSame(sessions, load(), seed);
    }
  }

  private void change(Sessions sessions, Random random) throws IOException {
    ClientId client = new ClientId(1, random.nextInt(CLIENTS));
    Position position = new Position(1, ++index);
    int kind = random.nextInt(40);
    if (kind == 0) {
      sessions.expire(new Position(1, index - random.nextInt(60)));
    } else if (kind < 3) {
      sessions.end(client);
    } else {
      long sequence = 1 + random.nextInt(SEQUENCES);
      RequestId tag = new RequestId(client, sequence, Math.max(1, sequence - 2));
      if (sessions.arrived(tag, position).isEmpty()) {
        sessions.remember(tag, new byte[1 + random.nextInt(100)]);
      }
    }
  }

  private void write(Sessions sessions) throws IOException {
    try (DatabaseBatch batch = database.batch()) {
      sessions.addChanges(batch);
      database.write(batch);
    }
    sessions.written();
  }

  private void assertSame(Sessions sessions, Sessions loaded, long seed) throws IOException {
    assertThat(sessions.count()).as("seed %d", seed).isEqualTo(loaded.count());
    assertThat(sessions.openCount()).as("seed %d", seed).isEqualTo(loaded.openCount());
    for (int client = 0; client < CLIENTS; client++) {
      for (long sequence = 1; sequence <= SEQUENCES; sequence++) {
        RequestId tag = new RequestId(new ClientId(1, client), sequence, 1);
        assertThat(sessions.keptResult(tag).map(HexFormat.of()::formatHex))
            .as("seed %d", seed)
            .isEqualTo(loaded.keptResult(tag).map(HexFormat.of()::formatHex));
      }
    }
    // Floors and positions, too.
    sessions.copyTo(new GroupId(2));
    Object[] copied = rows(2);
    loaded.copyTo(new GroupId(3));
    assertThat(copied).as("seed %d", seed).isEqualTo(rows(3));
  }

  private Object[] rows(int region) throws IOException {
    Object[] rows = new Object[CLIENTS];
    for (int client = 0; client < CLIENTS; client++) {
      byte[] key = SessionRows.sessionKey(new GroupId(region), new ClientId(1, client));
      rows[client] = database.get(Family.SESSIONS, key).map(HexFormat.of()::formatHex);
    }
    return rows;
  }
}
