package io.quorate.server.verification.network;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Tells which node a local TCP connection comes from, by what Linux knows about its socket. */
final class Callers {
  private static final Path PROCESSES = Path.of("/proc");
  private static final List<Path> CONNECTIONS =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
  private static final int LOCAL_FIELD = 1;
  private static final int REMOTE_FIELD = 2;
  private static final int INODE_FIELD = 9;

  private final List<NodeProcess> nodes;

  Callers(List<NodeProcess> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  static boolean areKnownHere() {
    return Files.isReadable(CONNECTIONS.get(0))
        && Files.isDirectory(PROCESSES.resolve("self").resolve("fd"));
  }

  /** The node whose connection leads from one port to the other; empty if it is no node's. */
  Optional<NodeId> nodeAt(int callerPort, int calledPort) throws IOException {
    Optional<String> inode = inode(callerPort, calledPort);
    if (inode.isEmpty()) {
      return Optional.empty();
    }
    String socket = "socket:[" + inode.get() + "]";
    for (NodeProcess node : nodes) {
      Optional<ProcessHandle> process = node.handle();
      if (process.isPresent() && holds(process.get().pid(), socket)) {
        return Optional.of(node.plan().id());
      }
    }
    return Optional.empty();
  }

  private static Optional<String> inode(int callerPort, int calledPort) throws IOException {
    String caller = ":%04X".formatted(callerPort);
    String called = ":%04X".formatted(calledPort);
    for (Path table : CONNECTIONS) {
      if (Files.isReadable(table)) {
        for (String line : Files.readAllLines(table)) {
          String[] fields = line.strip().split("\\s+");
          if (fields[LOCAL_FIELD].endsWith(caller) && fields[REMOTE_FIELD].endsWith(called)) {
            return Optional.of(fields[INODE_FIELD]);
          }
        }
      }
    }
    return Optional.empty();
  }

  private static boolean holds(long pid, String socket) {
    Path files = PROCESSES.resolve(Long.toString(pid)).resolve("fd");
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(files)) {
      for (Path entry : entries) {
        if (target(entry).equals(socket)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      // The process has ended, and its sockets with it.
      return false;
    }
  }

  private static String target(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException e) {
      // Closed since the directory was read.
      return "";
    }
  }
}
