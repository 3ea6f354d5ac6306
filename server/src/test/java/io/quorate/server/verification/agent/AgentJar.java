package io.quorate.server.verification.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * The file that a JVM wants for a Java agent. It only names {@link NodeAgent}, which is on the
 * class path of the nodes as everything else of the harness.
 */
public final class AgentJar {
  private final Path file;

  private AgentJar(Path file) {
    this.file = file;
  }

  /** Writes it into an existing directory. */
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
   * The flag of a JVM that is to have the agent.
   *
   * @param orders the file in which the node finds its {@link PointOrder}, when there is one
   * @param defect what is to be wrong with the node
   */
  public String flag(Path orders, Optional<Defect> defect) {
    return "-javaagent:" + file + "=" + new AgentArguments(orders, defect);
  }
}
