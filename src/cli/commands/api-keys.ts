// Commands for API keys.

import {
  type ApiKey,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  requireApiKey,
  revokeApiKey,
  setApiKey,
} from '../../access/api-keys.ts'
import { rotateApiKey } from '../../access/rotate-api-key.ts'
import { voidLostPepper } from '../../catalog/pepper/pepper.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireTenant } from '../../tenants/tenants.ts'
import { type Command, command, json, jsonArray, slug } from '../command.ts'
import { cliActor, openInstallationPepper, withCatalog } from '../context.ts'
import { printList, type TableColumns } from '../output.ts'

const keyId = { 'key id': 'id of the API key, as `tenantdesk key list` shows it' } as const

export const apiKeyCommands: readonly Command[] = [
  command({
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
    async run({ slug, name, scope: scopes, expires, 'rate-limit': rateLimit }, { config, application }) {
      const input = { name, scopes, allScopes: await application.scopes(), expiresAt: expires, rateLimit }
      const key = await withCatalog(config, async (catalog) => {
        const pepper = await openInstallationPepper(catalog, config)
        const { id, token } = await createApiKey(
          { catalog, pepper },
          await requireTenant(catalog, slug),
          input,
          cliActor(),
        )
        return { key: token, ...(await requireApiKey(catalog, id, new Date())) }
      })
      const until = expires ? `, valid to the end of ${expires}` : ''
      const message = `API key ${key.id} of tenant ${slug}: ${scopes.join(' ')}${until}. It will not be shown again; store it safely.`
      return { result: key, value: key.key, message }
    },
  }),
  command({
    words: 'key list',
    help: 'Lists the API keys of a tenant.',
    arguments: slug,
    options: { json: jsonArray },
    examples: ['key list acme'],
    async run({ slug, json }, { config, terminal }) {
      const keys = await withCatalog(config, async (catalog) =>
        listApiKeys(catalog, await requireTenant(catalog, slug), new Date()),
      )
      const advice = `Tenant ${slug} has no API keys yet. To create one: ${programName} key create ${slug} --scope '*:read'`
      printList(terminal, { json, rows: keys, columns: keyColumns, advice })
    },
  }),
  command({
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
    async run({ 'key id': id, name, scope: scopes, 'rate-limit': rateLimit, expires }, { config, application }) {
      const changes = { name, scopes, rateLimit, expires, allScopes: await application.scopes() }
      const key = await withCatalog(config, async (catalog) => {
        await setApiKey(catalog, id, changes, cliActor())
        return requireApiKey(catalog, id, new Date())
      })
      const until = key.expires_at === null ? 'without an end' : `until ${key.expires_at}`
      const values = `${key.scopes.join(' ')}, ${until}, rate limit ${rateLimitOf(key)}`
      return {
        result: key,
        message: `API key ${key.id} (${key.name}): ${values}. The change applies to its next request.`,
      }
    },
  }),
  command({
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
    async run({ 'key id': oldId, overlap = '24h', expires }, { config }) {
      const { oldWorksUntil, ...key } = await withCatalog(config, async (catalog) => {
        const pepper = await openInstallationPepper(catalog, config)
        const { id, token, oldWorksUntil } = await rotateApiKey(
          { catalog, pepper },
          oldId,
          { overlap, expires },
          cliActor(),
        )
        return { key: token, ...(await requireApiKey(catalog, id, new Date())), replaces: oldId, oldWorksUntil }
      })
      const result = { ...key, old_works_until: oldWorksUntil }
      const oldKeyState = Date.parse(oldWorksUntil) <= Date.now() ? 'no longer works' : `works until ${oldWorksUntil}`
      const until = key.expires_at === null ? '' : `, until ${key.expires_at}`
      const message = `API key ${key.id} has the permissions of ${oldId}${until}; ${oldId} ${oldKeyState}. The new key will not be shown again; store it safely.`
      return { result, value: key.key, message }
    },
  }),
  /** Recovers from a lost pepper: voids every key, so that the service can start again. */
  command({
    words: 'key revoke',
    help: 'Revokes every API key and discards all values that were encrypted with the lost pepper.',
    options: {
      all: { isRequired: true, help: 'confirms that all keys of all tenants are revoked' },
      'lost-pepper': { isRequired: true, help: 'the pepper cannot be recovered' },
      json,
    },
    onlyWith: '--lost-pepper',
    examples: ['key revoke --all --lost-pepper'],
    async run(_input, { config }) {
      const { keys, users, servers } = await withCatalog(config, async (catalog, _databases, opened) => {
        if (!opened.claimFiles())
          throw new UserError('A server is running here, so its pepper is not lost; stop the server first.')
        return voidLostPepper(catalog, opened.pepper(), cliActor())
      })
      const consequences = [
        `All API keys are void (${keys}): create new ones with \`tenantdesk key create\`.`,
        users.length > 0 && `Two-factor authentication is off for ${users.join(', ')} until they set it up again.`,
        servers.length > 0 &&
          `The URLs of servers ${servers.join(', ')} are lost: set them again with \`tenantdesk server set\`.`,
        'The next `tenantdesk serve` starts with the pepper it is given, or creates a new one.',
      ]
      return { result: { keys, users, servers }, message: consequences.filter(Boolean).join('\n') }
    },
  }),
  command({
    words: 'key revoke',
    help: 'Revokes an API key.',
    arguments: keyId,
    options: { json },
    examples: ['key revoke Jx81cBv2Qm'],
    async run({ 'key id': keyId }, { config }) {
      const key = await withCatalog(config, async (catalog) => {
        await revokeApiKey(catalog, keyId, cliActor())
        return requireApiKey(catalog, keyId, new Date())
      })
      return { result: key, message: `API key ${keyId} is revoked.` }
    },
  }),
  command({
    words: 'key delete',
    help: 'Deletes an API key and its usage statistics.',
    arguments: keyId,
    options: { json },
    examples: ['key delete Jx81cBv2Qm'],
    async run({ 'key id': keyId }, { config }) {
      await withCatalog(config, (catalog) => deleteApiKey(catalog, keyId, cliActor()))
      return { result: { id: keyId, deleted: true }, message: `API key ${keyId} is deleted.` }
    },
  }),
]

const keyColumns: TableColumns<ApiKey> = {
  ID: ({ id }) => id,
  KEY: ({ display }) => display,
  STATE: ({ state }) => state,
  CREATED: ({ created_at }) => created_at,
  SCOPES: ({ scopes }) => scopes.join(' '),
  EXPIRES: ({ expires_at }) => expires_at ?? 'never',
  'RATE LIMIT': rateLimitOf,
  NAME: ({ name }) => name,
}

function rateLimitOf({ rate_limit }: ApiKey): string {
  if (rate_limit === null) return 'default'
  return rate_limit === 0 ? 'unlimited' : `${rate_limit}/min`
}
