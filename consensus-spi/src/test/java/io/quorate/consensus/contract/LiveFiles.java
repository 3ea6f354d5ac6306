package io.quorate.consensus.contract;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Lists directories in which running engines create and delete files. */
public final class LiveFiles {
  private LiveFiles() {}

  /**
   * The files below a directory whose names match. Files that are deleted meanwhile are ignored.
   */
  public static List<Path> named(Path directory, Predicate<String> name) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (name.test(file.getFileName().toString())) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return deletedOr(failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            return failure == null ? FileVisitResult.CONTINUE : deletedOr(failure);
          }
        });
    return found;
  }

  private static FileVisitResult deletedOr(IOException failure) throws IOException {
    if (failure instanceof NoSuchFileException) {
      return FileVisitResult.CONTINUE;
    }
    throw failure;
  }
}
