package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the node that opened a local TCP connection, from what Linux reports of its socket. */
final class ConnectionSources {
  private static final Path PROCESSES = Path.of("/proc");
  private static final List<Path> CONNECTIONS =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
  private static final int LOCAL_FIELD = 1;
  private static final int REMOTE_FIELD = 2;
  private static final int INODE_FIELD = 9;

  private final List<NodeProcess> nodes;

  ConnectionSources(List<NodeProcess> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /** Whether this system reports sockets and their processes. */
  static boolean isSupported() {
    return Files.isReadable(CONNECTIONS.get(0))
        && Files.isDirectory(PROCESSES.resolve("self").resolve("fd"));
  }

  /** The node that opened the connection between these ports; empty if no node did. */
  Optional<NodeId> nodeOf(int sourcePort, int destinationPort) throws IOException {
    Optional<String> inode = inode(sourcePort, destinationPort);
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

  private static Optional<String> inode(int sourcePort, int destinationPort) throws IOException {
    String source = String.format(Locale.ROOT, ":%04X", sourcePort);
    String destination = String.format(Locale.ROOT, ":%04X", destinationPort);
    for (Path table : CONNECTIONS) {
      if (Files.isReadable(table)) {
        for (String line : Files.readAllLines(table)) {
          String[] fields = line.strip().split("\\s+");
          if (fields[LOCAL_FIELD].endsWith(source) && fields[REMOTE_FIELD].endsWith(destination)) {
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
