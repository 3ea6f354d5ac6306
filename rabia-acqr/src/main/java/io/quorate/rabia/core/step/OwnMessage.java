package io.quorate.rabia.core.step;

import io.quorate.rabia.protocol.Message;

/** A message that this replica sends, retained for resends, and the record that it waits for. */
public record OwnMessage(Message.Recorded message, Lsn after) {}
