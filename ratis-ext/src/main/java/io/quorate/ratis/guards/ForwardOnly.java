package io.quorate.ratis.guards;

import org.apache.ratis.server.storage.RaftStorageMetadataFile;

/** Marks term and vote on a disk that never go back, to tell them from those of Ratis itself. */
public interface ForwardOnly extends RaftStorageMetadataFile {}
