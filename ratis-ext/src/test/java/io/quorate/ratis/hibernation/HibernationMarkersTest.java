package io.quorate.ratis.hibernation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HibernationMarkersTest {
  private static final GroupId GROUP = new GroupId(7);
  private static final Set<NodeId> BEHIND = Set.of(new NodeId("n2"), new NodeId("n3"));

  @TempDir Path parent;

  private HibernationMarkers open() throws IOException {
    return HibernationMarkers.open(parent.resolve("hibernating"));
  }

  private Path file(String name) {
    return parent.resolve("hibernating").resolve(name);
  }

  @Test
  void markersAreThereAfterARestartUntilTheyAreRemoved() throws IOException {
    HibernationMarkers markers = open();
    markers.add(GROUP, BEHIND);
    markers.add(new GroupId(8), Set.of());
    assertThat(open().behind(GROUP)).isEqualTo(BEHIND);
    assertThat(open().contains(new GroupId(8))).isTrue();
    markers.remove(GROUP);
    assertThat(open().contains(GROUP)).isFalse();
    assertThat(open().contains(new GroupId(8))).isTrue();
  }

  /** The group starts, as one without a marker does, also after another start. */
  @Test
  void aDamagedMarkerIsDiscardedAndTheOthersCount() throws IOException {
    HibernationMarkers markers = open();
    markers.add(GROUP, BEHIND);
    markers.add(new GroupId(8), BEHIND);
    byte[] content = Files.readAllBytes(file("7"));
    List<byte[]> damages = new ArrayList<>();
    for (int length = 0; length < content.length; length++) {
      damages.add(Arrays.copyOf(content, length));
    }
    for (int bit = 0; bit < content.length * Byte.SIZE; bit++) {
      byte[] changed = content.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      damages.add(changed);
    }
    for (byte[] damage : damages) {
      Files.write(file("7"), damage);
      HibernationMarkers opened = open();
      assertThat(opened.contains(GROUP)).as(Arrays.toString(damage)).isFalse();
      assertThat(opened.behind(new GroupId(8))).isEqualTo(BEHIND);
      assertThat(file("7")).doesNotExist();
    }
  }

  @Test
  void whatIsNoMarkerIsDiscarded() throws IOException {
    open();
    Files.createDirectory(file("7"));
    Files.writeString(file("seven"), "n2");
    assertThat(open().contains(GROUP)).isFalse();
    assertThat(parent.resolve("hibernating")).isEmptyDirectory();
  }

  @Test
  void aDamagedMarkerThatCannotBeDeletedIsNamed() throws IOException {
    open();
    Files.createDirectories(file("7").resolve("8"));
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file("7") + " is damaged and cannot be deleted")
        .hasMessageContaining("delete it");
  }
}
