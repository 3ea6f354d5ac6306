package io.quorate.ratis.patches;

import java.io.IOException;
import java.net.URL;
import java.security.CodeSource;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.apache.ratis.server.RaftServer;

/**
 * Checks that the classes in Ratis' place are found before those of Ratis. Where they are not, a
 * vote, a change of members or a cut of the log could be lost without notice.
 *
 * <p>No defect by itself. Can go with the last class that it lists.
 */
public final class ClassesInPlace {
  /** Their names; each is marked with {@link InPlaceOfRatis}. */
  static final List<String> NAMES =
      List.of(
          "org.apache.ratis.server.impl.FollowerState",
          "org.apache.ratis.server.impl.StateMachineUpdater",
          "org.apache.ratis.util.ConcurrentUtils",
          "org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog",
          "org.apache.ratis.server.storage.RaftStorageImpl");

  private ClassesInPlace() {}

  /**
   * Checks the classes that Ratis uses in this JVM. Reads class files; initializes no class.
   *
   * @throws IOException if one of them is not of this module; its message is one sentence
   */
  public static void require() throws IOException {
    for (String name : NAMES) {
      require(name, RaftServer.class.getClassLoader());
    }
  }

  private static void require(String name, ClassLoader ratis) throws IOException {
    Class<?> found;
    try {
      found = Class.forName(name, false, ratis);
    } catch (ClassNotFoundException e) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The class path has no class %s: add all of quorate-ratis-ext to it.",
              name),
          e);
    }
    String source = source(found);
    String ours = source(ClassesInPlace.class);
    // A jar into which others were merged is the source of either class.
    if (!found.isAnnotationPresent(InPlaceOfRatis.class) || !source.equals(ours)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The class %s of %s was found instead of the one of quorate-ratis-ext (%s), which must"
                  + " take its place: put quorate-ratis-ext before Ratis on the class path, or leave"
                  + " the class of Ratis out of a jar with both.",
              name,
              source,
              ours));
    }
  }

  private static String source(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    URL location = source == null ? null : source.getLocation();
    return Objects.toString(location, "an unknown place");
  }
}
