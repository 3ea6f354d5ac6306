package io.quorate.ratis.log;

import io.quorate.replication.log.GroupLogEvents;
import java.io.IOException;
import java.util.Optional;

/** The reports of a group to its log, from before there is one. */
final class OpeningReports implements GroupLogEvents {
  private EntryLog log;
  private long durable;
  private IOException failed;

  synchronized void opened(EntryLog opened) {
    log = opened;
    if (failed != null) {
      log.fail(failed, true);
    } else if (durable > 0) {
      log.reachedDisk(durable);
    }
  }

  private synchronized Optional<EntryLog> log() {
    return Optional.ofNullable(log);
  }

  @Override
  public void durable(long through) {
    synchronized (this) {
      durable = through;
    }
    log().ifPresent(opened -> opened.reachedDisk(through));
  }

  @Override
  public void room() {
    log().ifPresent(EntryLog::hasRoomAgain);
  }

  @Override
  public void failed(IOException cause) {
    synchronized (this) {
      failed = cause;
    }
    log().ifPresent(opened -> opened.fail(cause, true));
  }
}
