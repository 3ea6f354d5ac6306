package io.quorate.ratis.fence;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageDirectory;

/** A replica of which nothing is known but where its files are. */
final class FakeDivision {
  private FakeDivision() {}

  static RaftServer.Division at(Path current) {
    RaftStorageDirectory directory =
        of(RaftStorageDirectory.class, "getCurrentDir", current.toFile());
    RaftStorage storage = of(RaftStorage.class, "getStorageDir", directory);
    return of(RaftServer.Division.class, "getRaftStorage", storage);
  }

  private static <T> T of(Class<T> type, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                return answer;
              }
              throw new IllegalStateException("no " + called.getName());
            }));
  }
}
