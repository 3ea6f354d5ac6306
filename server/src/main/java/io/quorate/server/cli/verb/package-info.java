/**
 * What all verbs share: the base class with the options --at, --timeout and --help and the report
 * of failures, the option --json, and the clients that verbs and suggestions of keys use. Single
 * verbs do not belong here, nor the encoding of their output, which is in {@code cli.format}.
 */
package io.quorate.server.cli.verb;
