package io.quorate.consensus;

/**
 * An engine as it is found on the class path, by {@link java.util.ServiceLoader}. Has a public
 * constructor without parameters and keeps no state.
 */
public interface ConsensusEngineProvider {

  /** The name by which the configuration chooses it, for example {@code raft}. */
  String name();

  /**
   * What the engine would offer under these settings. Nothing is started.
   *
   * @throws SettingException if a setting is unknown, malformed or out of bounds
   */
  Capabilities capabilities(EngineSettings settings);

  /**
   * Starts the node-wide part of the engine: listens for other replicas, opens its directory. May
   * block.
   *
   * @throws SettingException if a setting is unknown, malformed or out of bounds
   * @throws java.io.IOException if a port is in use or the directory cannot be used; nothing is
   *     left running
   */
  ConsensusEngine start(Host host) throws java.io.IOException;
}
