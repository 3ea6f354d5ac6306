package io.quorate.client.cli;

import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;

/** Says in one sentence what is wrong with a command line, and where to read more. */
public final class OneSentence implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    String message = failure.getMessage();
    command.getErr().println(message.endsWith(".") ? message : message + ".");
    command.getErr().println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    return ExitCode.USAGE.code();
  }
}
