// The network that an IP address belongs to.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address, or for IPv6 the network of 2^64 addresses that one customer has at least. What is no address stays itself. */
export function network(address: string): string {
  if (isIP(address) === 0) return address
  const parsed = ipaddr.process(address.replace(/%.*$/, ''))
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString()
}
