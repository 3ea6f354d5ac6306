package io.quorate.storage;

import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Reads that return only values in memory. */
class CachedReadTest {
  @TempDir Path directory;

  private static Optional<String> cached(TestRegion region, String key) {
    return region
        .store
        .getCached(Key.utf8(key))
        .map(value -> new String(value, StandardCharsets.UTF_8));
  }

  @Test
  void findsValuesInAMemtable() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("a", "1"), put("b", "2"), put("empty", ""));
      region.apply(put("a", "3"), delete("b"));

      assertThat(cached(region, "a")).contains("3");
      assertThat(cached(region, "b")).isEmpty();
      assertThat(cached(region, "empty")).as("indistinguishable from an absent index").isEmpty();
      assertThat(cached(region, "none")).isEmpty();
    }
  }

  /** RocksDB reports that such a key exists, with an empty value, whether it exists or not. */
  @Test
  void returnsNothingIfTheIndexOfTheTableIsNotInTheCache() throws Exception {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("a", "1"), put("c", "3"));
      region.flush();
    }
    compact();
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(cached(region, "a")).isEmpty();
      assertThat(cached(region, "b")).isEmpty();
      assertThat(region.get("a")).contains("1");
      assertThat(cached(region, "a")).contains("1");
      assertThat(cached(region, "b")).isEmpty();
    }
  }

  /** Moves the tables out of the first level, whose indexes the cache always holds. */
  private void compact() throws RocksDBException {
    try (Options options = new Options();
        DBOptions database = new DBOptions();
        ColumnFamilyOptions family = new ColumnFamilyOptions()) {
      String path = directory.resolve("db").toString();
      List<ColumnFamilyDescriptor> families =
          RocksDB.listColumnFamilies(options, path).stream()
              .map(name -> new ColumnFamilyDescriptor(name, family))
              .toList();
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      try (RocksDB rocks = RocksDB.open(database, path, families, handles)) {
        for (ColumnFamilyHandle handle : handles) {
          rocks.compactRange(handle);
          handle.close();
        }
      }
    }
  }

  @Test
  void doesNotReadTheDisk() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("a", "1"));
      region.flush();
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(cached(region, "a")).as("before it is in the block cache").isEmpty();
      assertThat(region.get("a")).contains("1");
      assertThat(cached(region, "a")).as("in the block cache").contains("1");
    }
  }
}
