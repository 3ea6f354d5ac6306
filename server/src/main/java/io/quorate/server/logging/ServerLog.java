package io.quorate.server.logging;

/**
 * The log of a program of Quorate. Its configuration is a file of the server's package, which
 * Logback does not find by itself: an application with the server on its class path, as in tests,
 * keeps its own logging.
 */
public final class ServerLog {
  private static final String CONFIGURATION = "io/quorate/server/logback.xml";
  private static final String SELECTED = "logback.configurationFile";

  private ServerLog() {}

  /**
   * Lets this process log as a node does, unless its operator has named a configuration. To be
   * called before the first line.
   */
  public static void use() {
    if (System.getProperty(SELECTED) == null) {
      System.setProperty(SELECTED, CONFIGURATION);
    }
  }
}
