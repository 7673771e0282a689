// The network that an IP address belongs to.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the /64 network of an IPv6 address, because providers assign each customer at least a whole /64. An
 *  IPv4-mapped IPv6 address becomes its IPv4 address. Returns any other text unchanged. */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address
  const parsed = ipaddr.process(address.replace(/%.*$/, ''))
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString()
}
