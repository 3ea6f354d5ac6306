package io.quorate.ratis.snapshot;

import io.quorate.consensus.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The side that needs the state. Fetches a snapshot of one leader into a directory. */
public final class SnapshotFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFetcher.class);

  /** Connects to the members of the group; the caller closes what it gets. */
  @FunctionalInterface
  public interface Connect {
    RaftClient toLeader(RaftPeerId leader);
  }

  /**
   * A snapshot that has arrived.
   *
   * @param directory its files
   * @param position what state it holds
   */
  public record Fetched(Path directory, Position position) {}

  private final String self;
  private final Connect connect;
  private final Path directory;
  private final int chunkBytes;
  private final Executor executor;

  /**
   * @param self this replica's name
   * @param directory where the files go; what is in it is deleted first
   * @param chunkBytes how much to ask for at a time
   * @param executor for the transfer, which blocks it
   */
  public SnapshotFetcher(
      String self, Connect connect, Path directory, int chunkBytes, Executor executor) {
    this.self = self;
    this.connect = connect;
    this.directory = directory;
    this.chunkBytes = chunkBytes;
    this.executor = executor;
  }

  /** Completes when the files are here; whether they are whole, the state machine checks. */
  public CompletableFuture<Fetched> fetch(RaftPeerId leader) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (RaftClient client = connect.toLeader(leader)) {
            return fetchNow(client, leader);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        executor);
  }

  private Fetched fetchNow(RaftClient client, RaftPeerId leader) throws IOException {
    SnapshotFiles.deleteRecursively(directory);
    Files.createDirectories(directory);
    SnapshotMessage answer =
        SnapshotMessage.decode(ask(client, leader, new SnapshotMessage.Open(self)));
    if (!(answer instanceof SnapshotMessage.Opened opened)) {
      throw new IOException("The leader did not open a snapshot: " + answer);
    }
    long bytes = 0;
    for (SnapshotMessage.FileEntry file : opened.files()) {
      fetchFile(client, leader, opened, file);
      bytes += file.bytes();
    }
    SnapshotFiles.sync(directory);
    ask(client, leader, new SnapshotMessage.Done(opened.snapshot()));
    LOG.info("Fetched a snapshot leader={} position={} bytes={}", leader, opened.position(), bytes);
    return new Fetched(directory, opened.position());
  }

  private void fetchFile(
      RaftClient client,
      RaftPeerId leader,
      SnapshotMessage.Opened snapshot,
      SnapshotMessage.FileEntry file)
      throws IOException {
    Path path = directory.resolve(file.name()).normalize();
    if (!directory.equals(path.getParent())) {
      throw new IOException("The leader names a file outside the snapshot: " + file.name());
    }
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long offset = 0;
      while (offset < file.bytes()) {
        int length = (int) Math.min(chunkBytes, file.bytes() - offset);
        SnapshotMessage.Read read =
            new SnapshotMessage.Read(snapshot.snapshot(), file.name(), offset, length);
        ByteBuffer piece = ask(client, leader, read).asReadOnlyByteBuffer();
        if (!piece.hasRemaining()) {
          throw new IOException("File " + file.name() + " of the snapshot ends early.");
        }
        while (piece.hasRemaining()) {
          offset += channel.write(piece);
        }
      }
      channel.force(true);
    }
  }

  private static ByteString ask(RaftClient client, RaftPeerId leader, SnapshotMessage request)
      throws IOException {
    RaftClientReply reply = client.io().sendStaleRead(request.encoded(), 0, leader);
    if (!reply.isSuccess()) {
      throw new IOException("The leader refused: " + reply.getException().getMessage());
    }
    return reply.getMessage().getContent();
  }
}
