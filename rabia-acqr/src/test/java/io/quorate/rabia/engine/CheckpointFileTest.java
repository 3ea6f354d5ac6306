package io.quorate.rabia.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFileTest {
  private static final Checkpoint CHECKPOINT =
      new Checkpoint(
          new Position(1, 7),
          List.of(
              Configuration.first(
                  List.of(
                      new Member(
                          new NodeId("n1"), InetSocketAddress.createUnresolved("127.0.0.1", 1))))),
          Map.of());

  @TempDir private Path directory;

  @Test
  void aCheckpointThatTheStateCoversIsTaken() throws IOException {
    CheckpointFile.write(directory, CHECKPOINT);
    assertThat(CheckpointFile.take(directory, new Position(1, 7))).isEqualTo(CHECKPOINT);
    assertThat(directory).isEmptyDirectory();
  }

  /** A former version sent such snapshots. */
  @Test
  void aCheckpointAheadOfTheStateIsRejected() throws IOException {
    CheckpointFile.write(directory, CHECKPOINT);
    assertThatThrownBy(() -> CheckpointFile.take(directory, new Position(1, 6)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("later");
  }
}
