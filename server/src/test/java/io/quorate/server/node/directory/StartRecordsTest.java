package io.quorate.server.node.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.Starts;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the directories of a node show of its starts. */
class StartRecordsTest {
  @TempDir Path root;
  private long ids;

  @AfterEach
  void off() {
    StartRecords.BEFORE_WRITE.off();
  }

  @Test
  void everyStartIsRecordedWithTheFormerOnes() throws IOException {
    assertThat(begin(false)).isEqualTo(Starts.NONE.next(1));
    assertThat(begin(false)).isEqualTo(Starts.NONE.next(1).next(2));
    Starts last = Starts.NONE;
    for (int i = 0; i < Starts.KEPT_MAX; i++) {
      last = begin(false);
    }
    assertThat(last.number()).isEqualTo(Starts.KEPT_MAX + 2);
    assertThat(last.runs())
        .hasSize(Starts.KEPT_MAX)
        .startsWith(new Starts.Run(Starts.KEPT_MAX + 2, 0));
  }

  /** Whichever crashes follow each other, the node starts again, and lacks no start. */
  @Test
  void aCrashDoesNotLockTheNodeOut() throws IOException {
    Starts before = begin(true);
    for (int first = 1; first <= 6; first++) {
      for (int second = 1; second <= 6; second++) {
        crashAtWrite(first);
        crashAtWrite(second);
        Starts after = begin(true);
        assertThat(after.mayFollow(before.newest().orElseThrow()))
            .as("crashes at write %s, then %s", first, second)
            .isTrue();
        assertThat(after.number()).isGreaterThan(before.number());
        before = after;
      }
    }
  }

  /** So it does when the start is renewed. */
  @Test
  void aCrashWhileAStartIsRenewedDoesNotLockTheNodeOut() throws IOException {
    for (int write = 1; write <= 3; write++) {
      begin(true);
      Starts before = renew();
      crash(write, this::renew);
      Starts after = begin(true);
      assertThat(after.mayFollow(before.newest().orElseThrow())).as("write %s", write).isTrue();
      assertThat(after.runs().get(1).renewals()).isEqualTo(write == 1 ? 1 : 2);
    }
  }

  @Test
  void aCopyFromBeforeARenewalIsRefusedByName() throws IOException {
    begin(true);
    byte[] copy = Files.readAllBytes(file("data"));
    renew();
    byte[] data = Files.readAllBytes(file("data"));
    byte[] log = Files.readAllBytes(file("log"));

    Files.write(file("log"), copy);
    assertRefused(true, "log is an older copy than data:");
    Files.write(file("log"), log);
    Files.write(file("data"), copy);
    assertRefused(true, "data is an older copy than log:");
    Files.write(file("data"), data);
    assertThat(begin(true).runs()).extracting(Starts.Run::renewals).containsExactly(0, 1);
  }

  private void crashAtWrite(int number) throws IOException {
    crash(number, () -> begin(true));
  }

  private interface Change {
    Starts apply() throws IOException;
  }

  private void crash(int number, Change change) throws IOException {
    AtomicInteger writes = new AtomicInteger();
    StartRecords.BEFORE_WRITE.on(
        (point, file) -> {
          if (writes.incrementAndGet() == number) {
            throw new IOException("crashed");
          }
        });
    try {
      change.apply();
    } catch (IOException e) {
      assertThat(e).hasMessage("crashed");
    } finally {
      StartRecords.BEFORE_WRITE.off();
    }
  }

  @Test
  void anOlderCopyOfOneOfTwoDirectoriesIsRefusedByName() throws IOException {
    begin(true);
    byte[] copy = Files.readAllBytes(file("data"));
    begin(true);
    byte[] data = Files.readAllBytes(file("data"));
    byte[] log = Files.readAllBytes(file("log"));

    Files.write(file("log"), copy);
    assertRefused(true, "log is an older copy than data:");
    Files.delete(file("log"));
    assertRefused(true, "log is an older copy than data:");

    Files.write(file("log"), log);
    Files.write(file("data"), copy);
    assertRefused(true, "data is an older copy than log:");

    Files.write(file("data"), data);
    assertThat(begin(true).number()).isEqualTo(3);
  }

  @Test
  void outdatedDirectoriesAreRefusedForEver() throws IOException {
    begin(true);
    try (LockedDirectory data = lock("data")) {
      new StartRecords(data, List.of()).outdated();
    }
    assertRefused(true, "data is an older copy of this node's disk");
    assertRefused(true, "data is an older copy of this node's disk");
  }

  @Test
  void aDamagedRecordIsRefusedByName() throws IOException {
    begin(false);
    byte[] good = Files.readAllBytes(file("data"));
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(file("data"), bad);
      assertRefused(false, "The file " + file("data") + " is damaged");
    }
  }

  private void assertRefused(boolean withLog, String sentence) {
    assertThatThrownBy(() -> begin(withLog))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining(sentence)
        .hasMessageContaining("node replace");
  }

  private Starts begin(boolean withLog) throws IOException {
    try (LockedDirectory data = lock("data");
        LockedDirectory log = lock("log")) {
      return new StartRecords(data, withLog ? List.of(part(log)) : List.of()).begin(++ids);
    }
  }

  private Starts renew() throws IOException {
    try (LockedDirectory data = lock("data");
        LockedDirectory log = lock("log")) {
      return new StartRecords(data, List.of(part(log))).renew();
    }
  }

  private static StartRecords.Part part(LockedDirectory log) {
    return new StartRecords.Part(log.root(), log.name());
  }

  private LockedDirectory lock(String name) {
    return LockedDirectory.lock(root.resolve(name), name);
  }

  private Path file(String directory) {
    return root.resolve(directory).resolve(StartRecords.FILE);
  }
}
