package io.quorate.server.verification.nemesis;

import java.util.Optional;
import java.util.Random;

/** A fault that can be asked for and that this harness does not inject, so that it says so. */
record NotHere(String name, String reason) implements Nemesis {
  @Override
  public Optional<String> obstacle(Arena arena) {
    return Optional.of(reason);
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) {
    return Optional.empty();
  }
}
