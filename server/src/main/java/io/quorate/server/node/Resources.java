package io.quorate.server.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a node has opened, to be closed together. One thread. */
final class Resources implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Resources.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Adds a resource that was just opened, and returns it. */
  <T extends AutoCloseable> T keep(T resource) {
    opened.push(resource);
    return resource;
  }

  /** Closes all resources in reverse order; one that fails does not prevent the others. */
  @Override
  public void close() {
    while (!opened.isEmpty()) {
      AutoCloseable resource = opened.pop();
      long started = System.nanoTime();
      try {
        resource.close();
        LOG.atDebug()
            .addKeyValue("resource", resource.getClass().getSimpleName())
            .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started))
            .log("Closed");
      } catch (Exception e) {
        LOG.atWarn()
            .addKeyValue("resource", resource.getClass().getSimpleName())
            .setCause(e)
            .log("Closing failed");
      }
    }
  }
}
