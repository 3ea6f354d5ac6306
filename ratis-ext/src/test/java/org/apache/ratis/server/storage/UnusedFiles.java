package org.apache.ratis.server.storage;

import java.io.File;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.util.SizeInBytes;

/** Gives tests of other packages the files of a replica, which has none. */
public final class UnusedFiles {
  private UnusedFiles() {}

  public static RaftStorage in(File directory) {
    return new RaftStorageImpl(
        directory,
        SizeInBytes.valueOf(0),
        RaftStorage.StartupOption.RECOVER,
        CorruptionPolicy.EXCEPTION);
  }
}
