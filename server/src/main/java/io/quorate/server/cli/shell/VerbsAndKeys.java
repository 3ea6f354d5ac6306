package io.quorate.server.cli.shell;

import io.quorate.server.cli.verb.KeySuggestions;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** Completes verbs, and the key that is the first argument of most verbs. */
final class VerbsAndKeys implements Completer {
  private static final Set<String> WITHOUT_A_KEY =
      Set.of(
          "batch",
          "load",
          "move-leader",
          "move-replica",
          "node",
          "placement",
          "region",
          "status",
          "help");

  private final Collection<String> verbs;
  private final KeySuggestions keys;

  VerbsAndKeys(Collection<String> verbs, KeySuggestions keys) {
    this.verbs = verbs;
    this.keys = keys;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    if (line.wordIndex() == 0) {
      verbs.forEach(verb -> candidates.add(new Candidate(verb)));
      ShellCommand.ENDS.forEach(end -> candidates.add(new Candidate(end)));
    } else if (line.wordIndex() == 1
        && verbs.contains(line.words().get(0))
        && !WITHOUT_A_KEY.contains(line.words().get(0))) {
      String prefix = line.word().substring(0, Math.min(line.wordCursor(), line.word().length()));
      keys.startingWith(prefix).forEach(key -> candidates.add(new Candidate(key)));
    }
  }
}
