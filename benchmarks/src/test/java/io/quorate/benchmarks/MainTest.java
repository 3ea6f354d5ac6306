package io.quorate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.Verbs;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench kv --clients 0",
        "bench kv --clients 1,x",
        "bench kv --ops put,fly",
        "bench kv --value -1",
        "bench kv --seconds 0",
        "bench kv --keys 0",
        "bench kv --read-ratio 1.5",
        "bench kv --regions 0",
        "bench ycsb",
        "bench ycsb fly",
        "bench ycsb a --threads 0",
        "bench ycsb a --records 0",
        "bench ycsb a --operations x",
        "bench ycsb a --regions 0",
        "bench peers --contenders etcd,fly",
        "bench costs --seconds 0",
        "bench costs --fill -1",
        "bench overload --contenders fly",
        "bench fly",
        "paper fly",
        "paper acqr --rounds 3",
        "paper acqr --out",
        "paper buc --rounds 3",
        "torture --nodes 0",
        "torture --minutes 0",
        "torture --seed 8472",
        "torture --seed 999-8472",
        "torture --nemesis fly",
        "torture --preset raft --canary fragment-as-copy",
        "torture --preset rabia --canary header-in-later-term",
        "torture --keep ."
      })
  void wrongUsePrintsAMessageAndExitsWithTwo(String line) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("--help").doesNotContain("\tat ");
  }

  /** The server's program lists the same verbs in its help. */
  @Test
  void theVerbsAreThoseOfTheHelp() {
    Map<String, String> described = new HashMap<>();
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (verb, command) ->
                described.put(verb, command.getCommandSpec().usageMessage().description()[0]));
    assertThat(described).isEqualTo(Verbs.OF_A_CHECKOUT);
  }

  @Test
  void jmhReceivesItsOwnOptions() {
    assertThat(run("bench", "jmh", "-l")).isZero();
    assertThat(err.toString()).isEmpty();
  }

  private int run(String... arguments) {
    return Main.commandLine().setErr(new PrintWriter(err)).execute(arguments);
  }
}
