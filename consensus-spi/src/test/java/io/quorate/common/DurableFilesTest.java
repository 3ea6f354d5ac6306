package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
  @TempDir private Path directory;

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void replacesAFileAtomicallyAndLeavesNoDraft() throws IOException {
    Path file = directory.resolve("file");
    Path draft = directory.resolve("file.draft");
    Files.writeString(draft, "the longer draft of an interrupted replacement");

    DurableFiles.replace(file, draft, bytes("one"));
    DurableFiles.replace(file, draft, bytes("two"));

    assertThat(file).hasContent("two");
    assertThat(draft).doesNotExist();
  }

  @Test
  void deletesADirectoryAndWhatAnInterruptedDeletionLeft() throws IOException {
    Path files = Files.createDirectory(directory.resolve("files"));
    Path renamed = Files.createDirectory(directory.resolve("files.removed"));
    Files.writeString(files.resolve("one"), "new");
    Files.writeString(renamed.resolve("one"), "of the interrupted deletion");

    DurableFiles.deleteAtomically(files, renamed);
    DurableFiles.deleteAtomically(files, renamed);

    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aReplacementThatCannotBePreparedLeavesTheFileUnchanged() throws IOException {
    Path file = directory.resolve("file");
    Files.writeString(file, "before");
    Path draft = Files.createDirectory(directory.resolve("file.draft"));

    assertThatThrownBy(() -> DurableFiles.replace(file, draft, bytes("after")))
        .isInstanceOf(IOException.class);

    assertThat(file).hasContent("before");
  }

  @Test
  void writeDoesNotOverwriteAnExistingFile() throws IOException {
    Path file = directory.resolve("file");
    DurableFiles.write(file, bytes("one"));

    assertThatThrownBy(() -> DurableFiles.write(file, bytes("two")))
        .isInstanceOf(FileAlreadyExistsException.class);

    assertThat(file).hasContent("one");
  }

  @Test
  void checksumsDifferForDifferentContents() throws IOException {
    Path one = directory.resolve("one");
    Path same = directory.resolve("same");
    Path other = directory.resolve("other");
    DurableFiles.write(one, bytes("content"));
    DurableFiles.write(same, bytes("content"));
    DurableFiles.write(other, bytes("contend"));

    assertThat(DurableFiles.checksum(one))
        .isEqualTo(DurableFiles.checksum(same))
        .isNotEqualTo(DurableFiles.checksum(other));
  }

  @Test
  void deletesATreeAndIgnoresAMissingOne() throws IOException {
    Path tree = directory.resolve("tree");
    Files.createDirectories(tree.resolve("branch"));
    Files.writeString(tree.resolve("branch").resolve("leaf"), "leaf");

    DurableFiles.deleteTree(tree);
    DurableFiles.deleteTree(tree);

    assertThat(tree).doesNotExist();
  }
}
