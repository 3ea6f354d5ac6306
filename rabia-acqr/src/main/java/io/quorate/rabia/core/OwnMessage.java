package io.quorate.rabia.core;

import io.quorate.rabia.protocol.Message;

/** A message that this replica sends, retained for resends, and the record that it waits for. */
record OwnMessage(Message.Recorded message, Lsn after) {}
