/**
 * Encodings of keys and values as text or hexadecimal digits, sizes, JSON, and tables; without a
 * dependency on another package. The content of a report does not belong here, nor the streams that
 * output is written to, which are in {@code cli.terminal}.
 */
package io.quorate.server.cli.format;
