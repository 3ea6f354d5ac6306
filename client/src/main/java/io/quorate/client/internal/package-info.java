/**
 * How the client is built. Only the interfaces of {@link io.quorate.client} use it; its classes may
 * change at any time.
 */
package io.quorate.client.internal;
