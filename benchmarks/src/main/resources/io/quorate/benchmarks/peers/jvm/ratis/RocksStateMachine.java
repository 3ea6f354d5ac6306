package peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Writes each entry to RocksDB. An entry is the length of the key, the key and the value. */
final class RocksStateMachine extends BaseStateMachine {
  private final RocksDB database;

  RocksStateMachine(Path directory) throws RocksDBException {
    database = RocksDB.open(new Options().setCreateIfMissing(true), directory.toString());
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    ByteBuffer command = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
    byte[] key = new byte[command.getInt()];
    command.get(key);
    byte[] value = new byte[command.remaining()];
    command.get(value);
    try {
      database.put(key, value);
    } catch (RocksDBException e) {
      return CompletableFuture.failedFuture(e);
    }
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  /** Replies with a byte for whether the key exists, and the value. */
  @Override
  public CompletableFuture<Message> query(Message request) {
    try {
      byte[] value = database.get(request.getContent().toByteArray());
      ByteBuffer reply = ByteBuffer.allocate(value == null ? 1 : 1 + value.length);
      reply.put((byte) (value == null ? 0 : 1));
      if (value != null) {
        reply.put(value);
      }
      return CompletableFuture.completedFuture(
          Message.valueOf(ByteString.copyFrom(reply.flip())));
    } catch (RocksDBException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    database.close();
  }
}
