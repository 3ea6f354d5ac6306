/** TLS of clients and nodes: certificates, and what they say about who presents them. */
package io.quorate.protocol.tls;
