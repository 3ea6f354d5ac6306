package io.quorate.server.cli.shell;

import io.quorate.server.cli.verb.KeySuggestions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import picocli.CommandLine;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Completes verbs, and the key that is the first argument of most verbs. */
final class VerbsAndKeys implements Completer {
  /** The labels of parameters that are keys, or begin one. */
  private static final Set<String> KEYS = Set.of("KEY", "PREFIX", "START");

  private final Map<String, CommandLine> verbs;
  private final KeySuggestions keys;

  VerbsAndKeys(Map<String, CommandLine> verbs, KeySuggestions keys) {
    this.verbs = verbs;
    this.keys = keys;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    if (line.wordIndex() == 0) {
      verbs.keySet().forEach(verb -> candidates.add(new Candidate(verb)));
      ShellCommand.ENDS.forEach(end -> candidates.add(new Candidate(end)));
    } else if (line.wordIndex() == 1
        && verbs.containsKey(line.words().get(0))
        && hasKey(verbs.get(line.words().get(0)))) {
      String prefix = line.word().substring(0, Math.min(line.wordCursor(), line.word().length()));
      keys.startingWith(prefix).forEach(key -> candidates.add(new Candidate(key)));
    }
  }

  private static boolean hasKey(CommandLine verb) {
    List<PositionalParamSpec> parameters = verb.getCommandSpec().positionalParameters();
    return !parameters.isEmpty() && KEYS.contains(parameters.get(0).paramLabel());
  }
}
