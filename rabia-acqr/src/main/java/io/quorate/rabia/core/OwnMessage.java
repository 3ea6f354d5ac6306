package io.quorate.rabia.core;

import io.quorate.rabia.protocol.Message;

/** A message this replica says, kept to be said again, and the record it waits for. */
record OwnMessage(Message.OfSlot message, Lsn after) {}
