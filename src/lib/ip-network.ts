// The network that an IP address belongs to.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns an IPv4 address unchanged, and the /64 network of an IPv6 address: a provider assigns at least that many
 *  addresses to one customer. Returns text that is not an IP address unchanged. */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address
  const parsed = ipaddr.process(address.replace(/%.*$/, ''))
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString()
}
