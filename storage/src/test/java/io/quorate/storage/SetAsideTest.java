package io.quorate.storage;

import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that is set aside is replaced by an empty one, and removed on request. */
class SetAsideTest {
  @TempDir private Path directory;

  @Test
  void aDatabaseIsSetAsideAsRequestedAndOnce() throws IOException {
    DamagedDatabase database = new DamagedDatabase(directory);
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v"));
      region.flush();
      assertThat(database.requested()).isEmpty();
      database.request("first");
      database.request("a table is damaged");
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.get("k")).as("until it is set aside").contains("v");
    }
    assertThat(database.requested()).contains("a table is damaged");
    assertThat(database.bytes()).isZero();
    assertThat(database.lastSetAside()).isEmpty();
    database.setAside();
    assertThat(database.lastSetAside()).isPresent();
    assertThat(database.requested()).isEmpty();
    assertThat(database.reason()).contains("a table is damaged");
    assertThat(database.bytes()).isPositive();
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.get("k")).isEmpty();
      database.request("again");
    }
    database.setAside();
    assertThat(database.reason()).contains("again");
    database.remove();
    assertThat(database.bytes()).isZero();
    assertThat(database.reason()).isEmpty();
    try (var files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("install", "db.last-set-aside");
    }
  }
}
