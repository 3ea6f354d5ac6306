package io.quorate.torture.testbed.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * The JAR file from which a JVM loads the agent. It contains only a manifest that names {@link
 * NodeAgent}, which is on the class path of the nodes, as is the rest of the harness.
 */
public final class AgentJar {
  private final Path file;

  private AgentJar(Path file) {
    this.file = file;
  }

  /** Writes the JAR file into an existing directory. */
  public static AgentJar in(Path directory) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", NodeAgent.class.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    Path file = directory.resolve("agent.jar");
    new JarOutputStream(Files.newOutputStream(file), manifest).close();
    return new AgentJar(file);
  }

  /**
   * Returns the JVM option that loads the agent.
   *
   * @param orders the file from which the node reads its {@link FailpointOrder}; need not exist
   * @param defect the defect to install in the node, if any
   */
  public String flag(Path orders, Optional<Defect> defect) {
    return "-javaagent:" + file + "=" + new AgentArguments(orders, defect);
  }
}
