package io.quorate.ratis.log;

import io.quorate.common.Threads;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.log.segment.LogOwner;
import io.quorate.replication.threads.LoopThreads;
import io.quorate.replication.threads.SharedLoops;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** The log of a node in a directory, which can be closed and opened again. */
public final class LogFixture implements AutoCloseable {
  public static final GroupId GROUP = new GroupId(1);

  /** Never end: replicas of all tests run on them. */
  public static final SharedLoops LOOPS = loops();

  /** What blocks runs on. */
  public static final Executor BLOCKING = Executors.newCachedThreadPool(Threads.named("blocking"));

  private final Path parent;
  private final LogOwner owner;
  private SharedLogSettings settings = SharedLogSettings.DEFAULT;
  private SharedLog node;

  /**
   * @param parent of the log, and of the file with its end
   */
  public LogFixture(Path parent) throws IOException {
    this(parent, "n1");
  }

  /** The log of another node. */
  public LogFixture(Path parent, String node) throws IOException {
    this.parent = parent;
    this.owner = new LogOwner(new UUID(0, 7), new NodeId(node));
    open();
  }

  private void open() throws IOException {
    node = SharedLog.open(parent.resolve("log"), parent.resolve("end"), owner, settings);
  }

  public SharedLog node() {
    return node;
  }

  /** Opens the log of a replica, which begins in term 0. */
  public EntryLog replica() throws IOException {
    return EntryLog.open(node, GROUP, 0, LOOPS);
  }

  private static SharedLoops loops() {
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(Threads.named("timer"));
    return new SharedLoops(
        new LoopThreads("loop", 2, timer),
        Executors.newCachedThreadPool(Threads.named("log-read")),
        timer);
  }

  public LogOwner owner() {
    return owner;
  }

  /** As the next process finds it, which has other settings. */
  public void reopen(SharedLogSettings other) throws IOException {
    settings = other;
    reopen();
  }

  /** As the next process finds it. */
  public void reopen() throws IOException {
    close();
    open();
  }

  /** An entry with data of its own. */
  static LogEntryProto entry(long term, long index) {
    return LogEntryProto.newBuilder()
        .setTerm(term)
        .setIndex(index)
        .setStateMachineLogEntry(
            StateMachineLogEntryProto.newBuilder()
                .setLogData(ByteString.copyFromUtf8("entry " + term + " " + index)))
        .build();
  }

  @Override
  public void close() throws IOException {
    node.close();
  }
}
