/**
 * Calls: each goes to the region of its key, again and elsewhere until its deadline, within the
 * bounds of what may be in flight. All but {@link io.quorate.client.internal.call.ClientContext} is
 * used by the event loop only.
 */
package io.quorate.client.internal.call;
