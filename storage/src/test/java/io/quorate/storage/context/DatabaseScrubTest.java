package io.quorate.storage.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.storage.Measurements;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Compaction;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.FileCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage is found that nobody reads, and files that come and go are none. */
class DatabaseScrubTest {
  @TempDir private Path directory;

  private final List<StorageFailure> damages = new CopyOnWriteArrayList<>();
  private final FailureReport failures =
      new FailureReport(
          new StorageListener() {
            @Override
            public void damaged(StorageFailure failure) {
              damages.add(failure);
            }
          });
  private final Measurements measured = new Measurements();
  private final Random random = new Random(1);

  private void write(Database database) throws IOException {
    try (DatabaseBatch batch = database.batch()) {
      for (int i = 0; i < 20; i++) {
        byte[] value = new byte[2_000];
        random.nextBytes(value);
        batch.put(Family.DATA, new byte[] {(byte) i}, value);
      }
      database.write(batch);
    }
    database.flush();
  }

  @ParameterizedTest
  @ValueSource(strings = {".sst", ".blob"})
  void damageThatNobodyReadsIsFoundAndTheOthersAreVerifiedAllTheSame(String suffix)
      throws IOException {
    try (Database database = Database.open(directory, StorageOptions.DEFAULT)) {
      write(database);
      List<Path> files = new FileCheck(database).files();
      Path file =
          files.stream().filter(each -> each.toString().endsWith(suffix)).findFirst().orElseThrow();
      byte[] content = Files.readAllBytes(file);
      content[content.length / 4] ^= 1;
      Files.write(file, content);
      DatabaseScrub scrub = start(database);
      try {
        await().until(() -> !damages.isEmpty());
        assertThat(damages).hasSize(1);
        assertThat(damages.get(0).kind()).isEqualTo(StorageFailure.Kind.CORRUPTION);
        assertThat(damages.get(0).message()).contains(file.getFileName().toString());
        assertThat(failures.current()).containsExactlyElementsOf(damages);
        await().until(() -> verified() >= 2L * (files.size() - 1));
        assertThat(measured.values.get("storage.scrub.damaged").get()).isPositive();
      } finally {
        scrub.close();
      }
    }
  }

  @Test
  void filesThatComeAndGoAreNoDamage() throws Exception {
    try (Database database = Database.open(directory, StorageOptions.DEFAULT)) {
      DatabaseScrub scrub = start(database);
      try {
        while (verified() < 30) {
          write(database);
          Compaction.run(database, Family.DATA);
        }
      } finally {
        scrub.close();
      }
    }
    assertThat(failures.current()).isEmpty();
    assertThat(measured.values.get("storage.scrub.bytes").get()).isPositive();
  }

  @Test
  void aRoundThatReadEverythingIsReported() throws IOException {
    try (Database database = Database.open(directory, StorageOptions.DEFAULT)) {
      write(database);
      DatabaseScrub scrub = start(database);
      try {
        await().until(() -> measured.values.get("storage.scrub.rounds").get() >= 2);
        assertThat(measured.gauges.get("storage.scrub.age.seconds").getAsDouble())
            .isBetween(0.0, 60.0);
      } finally {
        scrub.close();
      }
    }
  }

  private DatabaseScrub start(Database database) {
    DatabaseScrub scrub = new DatabaseScrub(database, Duration.ofMillis(1), failures, measured);
    scrub.start();
    return scrub;
  }

  private long verified() {
    return measured.values.get("storage.scrub.files").get();
  }
}
