// Commands for API keys.

import {
  createKeyCommand,
  deleteKeyCommand,
  listKeysCommand,
  revokeAllKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  setKeyCommand,
} from '../actions/api-keys.ts'
import type { Command } from '../usage.ts'
import { json, jsonArray, slug } from './shared.ts'

const keyId = { 'key id': 'id of the API key, as `tenantdesk key list` shows it' }

export const apiKeyCommands: readonly Command[] = [
  {
    words: 'key create',
    help: 'Creates an API key and prints it. It cannot be shown again.',
    arguments: slug,
    options: {
      scope: {
        value: '<scope>',
        isRequired: true,
        isRepeatable: true,
        help: 'what the key permits, such as customers:read or *:write',
      },
      name: { value: 'TEXT', help: 'display name' },
      expires: { value: 'YYYY-MM-DD', help: 'last day on which the key works (UTC)' },
      'rate-limit': {
        value: 'N',
        help: "requests per minute; 0 = no limit; by default, the installation's limits apply",
      },
      json,
    },
    examples: [
      "key create acme --scope '*:read' --scope hardware:write --name 'Power BI'",
      'key create acme --scope customers:read --expires 2027-12-31 --rate-limit 1000',
    ],
    run: createKeyCommand,
  },
  {
    words: 'key list',
    help: 'Lists the API keys of a tenant.',
    arguments: slug,
    options: { json: jsonArray },
    examples: ['key list acme'],
    run: listKeysCommand,
  },
  {
    words: 'key set',
    help: "Changes an API key's name, scopes, rate limit or expiry. The change applies to its next request.",
    arguments: keyId,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      scope: {
        value: '<scope>',
        isRepeatable: true,
        help: 'what the key permits from now on; replaces all its scopes',
      },
      'rate-limit': { value: 'N', help: "requests per minute; 0 = no limit; default = the installation's limits" },
      expires: { value: 'YYYY-MM-DD|never', help: 'last day on which the key works (UTC)' },
      json,
    },
    examples: ['key set Jx81cBv2Qm --rate-limit 1000', "key set Jx81cBv2Qm --scope '*:read' --expires never"],
    run: setKeyCommand,
  },
  {
    words: 'key rotate',
    help: 'Creates an API key with the name, scopes, rate limit and expiry of another one, and prints it. The old key stops working after the overlap.',
    arguments: keyId,
    options: {
      overlap: {
        value: '24h',
        help: 'how long the old key works: 0, or a duration such as 30m, 24h or 7d; by default 24h',
      },
      expires: {
        value: 'YYYY-MM-DD',
        help: "last day on which the new key works (UTC); by default, the old key's last day",
      },
      json,
    },
    examples: ['key rotate Jx81cBv2Qm', 'key rotate Jx81cBv2Qm --overlap 0'],
    run: rotateKeyCommand,
  },
  {
    words: 'key revoke',
    help: 'Revokes every API key and discards all values that were encrypted with the lost pepper.',
    options: {
      all: { isRequired: true, help: 'confirms that all keys of all tenants are revoked' },
      'lost-pepper': { isRequired: true, help: 'the pepper cannot be recovered' },
      json,
    },
    onlyWith: '--lost-pepper',
    examples: ['key revoke --all --lost-pepper'],
    run: revokeAllKeysCommand,
  },
  {
    words: 'key revoke',
    help: 'Revokes an API key.',
    arguments: keyId,
    options: { json },
    examples: ['key revoke Jx81cBv2Qm'],
    run: revokeKeyCommand,
  },
  {
    words: 'key delete',
    help: 'Deletes an API key.',
    arguments: keyId,
    options: { json },
    examples: ['key delete Jx81cBv2Qm'],
    run: deleteKeyCommand,
  },
]
