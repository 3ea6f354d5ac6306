/** One round that makes a body recoverable: which acknowledgements are enough, and its messages. */
package io.quorate.replication.coded.round;
