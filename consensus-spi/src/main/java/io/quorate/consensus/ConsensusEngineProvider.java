package io.quorate.consensus;

/**
 * Creates engines of one kind. {@link java.util.ServiceLoader} finds implementations on the class
 * path. An implementation has a public constructor without parameters and keeps no state.
 */
public interface ConsensusEngineProvider {

  /** The name that selects the engine in the configuration, for example {@code raft}. */
  String name();

  /**
   * The features and limits that the engine would have under these settings. Starts nothing.
   *
   * @throws SettingException if a setting is unknown, malformed or out of bounds
   */
  Capabilities capabilities(EngineSettings settings);

  /**
   * Starts the node-wide part of the engine: opens its directory and listens for connections of
   * other replicas. May block. If it throws, it leaves neither threads nor ports behind.
   *
   * @throws SettingException if a setting is unknown, malformed or out of bounds
   * @throws java.io.IOException if the port is in use or the directory cannot be used
   */
  ConsensusEngine start(EngineContext host) throws java.io.IOException;
}
