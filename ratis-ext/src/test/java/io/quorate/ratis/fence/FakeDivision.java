package io.quorate.ratis.fence;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageDirectory;

/** A replica of which nothing is known but where its files are, and that its term is 3. */
final class FakeDivision {
  private FakeDivision() {}

  static final long TERM = 3;

  static RaftServer.Division at(Path current) {
    RaftStorageDirectory directory =
        of(RaftStorageDirectory.class, "getCurrentDir", current.toFile());
    RaftStorage storage = of(RaftStorage.class, "getStorageDir", directory);
    DivisionInfo info = of(DivisionInfo.class, "getCurrentTerm", TERM);
    return (RaftServer.Division)
        Proxy.newProxyInstance(
            RaftServer.Division.class.getClassLoader(),
            new Class<?>[] {RaftServer.Division.class},
            (proxy, called, arguments) ->
                switch (called.getName()) {
                  case "getRaftStorage" -> storage;
                  case "getInfo" -> info;
                  default -> throw new IllegalStateException("no " + called.getName());
                });
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
