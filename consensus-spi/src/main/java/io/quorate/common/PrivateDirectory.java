package io.quorate.common;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Directories of which other users of the machine read nothing. Every method blocks on I/O. */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OF_OTHERS =
      PosixFilePermissions.fromString("------rwx");

  private PrivateDirectory() {}

  /**
   * Creates a directory that only its owner can enter, unless it exists; and the directories above
   * it, as usual. The modes of one that exists stay as they are.
   */
  public static void create(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path above = directory.toAbsolutePath().getParent();
    if (above != null) {
      Files.createDirectories(above);
    }
    try {
      if (hasModes(directory.getFileSystem())) {
        Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      } else {
        Files.createDirectory(directory);
      }
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  /**
   * Whether users who are neither the owner nor of its group may read it, write to it or enter it.
   */
  public static boolean isOpenToOthers(Path directory) throws IOException {
    return hasModes(directory.getFileSystem())
        && Files.getPosixFilePermissions(directory).stream().anyMatch(OF_OTHERS::contains);
  }

  private static boolean hasModes(FileSystem files) {
    return files.supportedFileAttributeViews().contains("posix");
  }
}
