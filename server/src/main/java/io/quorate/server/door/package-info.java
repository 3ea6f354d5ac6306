/**
 * The front door: takes clients' connections, admits their requests within bounds, hands them to
 * the regions and sends the answers.
 *
 * <p>A request lives on three kinds of thread. The connection's event loop reads and admits it; an
 * engine's thread says that a write has been applied or from where a read is safe; a reader thread
 * reads. Whoever has the answer puts it into the connection's outbox, from where the event loop
 * sends what has gathered with one flush. Event loops and engine threads are never blocked.
 */
package io.quorate.server.door;
