/** How clients and nodes connect to a host that may have several addresses. */
package io.quorate.protocol.connect;
