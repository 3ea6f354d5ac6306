package io.quorate.server.node.directory;

import io.quorate.consensus.ConsensusException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a node whose directories are an older copy, as another node has shown, after it has recorded
 * that durably. Any thread; does not block.
 */
final class OutdatedDirectories implements Consumer<String> {
  private static final Logger LOG = LoggerFactory.getLogger(OutdatedDirectories.class);

  private final DataDirectory directories;
  private final Consumer<ConsensusException.Fatal> fatal;
  private final AtomicBoolean known = new AtomicBoolean();

  /**
   * @param fatal ends the node
   */
  OutdatedDirectories(DataDirectory directories, Consumer<ConsensusException.Fatal> fatal) {
    this.directories = directories;
    this.fatal = fatal;
  }

  @Override
  public void accept(String sentence) {
    if (known.compareAndSet(false, true)) {
      Thread thread = new Thread(() -> end(sentence), "quorate-outdated");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void end(String sentence) {
    try {
      directories.outdated();
    } catch (IOException e) {
      // The nodes that know refuse it after the next start too.
      LOG.warn("It cannot be recorded that the directories of this node are an older copy", e);
    }
    fatal.accept(
        new ConsensusException.Fatal(
            sentence
                + " Empty the directories of this node, start it, and accept it with \"node"
                + " replace\".",
            null));
  }
}
