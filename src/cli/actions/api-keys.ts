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
import { voidLostPepper } from '../../catalog/pepper/lost-pepper.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireTenant } from '../../tenants/tenants.ts'
import type { CommandHandler } from '../command.ts'
import { cliActor, openInstallationPepper, withCatalog } from '../context.ts'
import { type Columns, printList, printResult } from '../output.ts'

export const createKeyCommand: CommandHandler = async ({ values, options }, config, terminal, application) => {
  const slug = values[0]!
  const input = {
    name: options.name as string | undefined,
    scopes: options.scope as string[],
    allScopes: await application.scopes(),
    expiresAt: options.expires as string | undefined,
    rateLimit: options['rate-limit'] as string | undefined,
  }
  const key = await withCatalog(config, async (catalog) => {
    const pepper = await openInstallationPepper(catalog, config)
    const { id, token } = await createApiKey(catalog, pepper, await requireTenant(catalog, slug), input, cliActor())
    return { key: token, ...(await requireApiKey(catalog, id, new Date())) }
  })
  printResult(terminal, { json: options.json, result: key, value: key.key })
  const until = input.expiresAt ? `, valid to the end of ${input.expiresAt}` : ''
  terminal.stderr(
    `API key ${key.id} of tenant ${slug}: ${input.scopes.join(' ')}${until}. It will not be shown again; store it safely.`,
  )
}

export const listKeysCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const keys = await withCatalog(config, async (catalog) =>
    listApiKeys(catalog, await requireTenant(catalog, values[0]!), new Date()),
  )
  if (!options.json && keys.length === 0)
    return terminal.stderr(
      `Tenant ${values[0]} has no API keys yet. To create one: ${programName} key create ${values[0]} --scope '*:read'`,
    )
  printList(terminal, { json: options.json, rows: keys, columns: keyColumns })
}

const keyColumns: Columns<ApiKey> = {
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

export const rotateKeyCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const oldId = values[0]!
  const rotation = {
    overlap: (options.overlap as string | undefined) ?? '24h',
    expires: options.expires as string | undefined,
  }
  const { oldWorksUntil, ...key } = await withCatalog(config, async (catalog) => {
    const pepper = await openInstallationPepper(catalog, config)
    const { id, token, oldWorksUntil } = await rotateApiKey(catalog, pepper, oldId, rotation, cliActor())
    return { key: token, ...(await requireApiKey(catalog, id, new Date())), replaces: oldId, oldWorksUntil }
  })
  const result = { ...key, old_works_until: oldWorksUntil }
  printResult(terminal, { json: options.json, result, value: key.key })
  const oldKeyState = Date.parse(oldWorksUntil) <= Date.now() ? 'no longer works' : `works until ${oldWorksUntil}`
  const until = key.expires_at === null ? '' : `, until ${key.expires_at}`
  terminal.stderr(
    `API key ${key.id} has the permissions of ${oldId}${until}; ${oldId} ${oldKeyState}. The new key will not be shown again; store it safely.`,
  )
}

export const setKeyCommand: CommandHandler = async ({ values, options }, config, terminal, application) => {
  const changes = {
    name: options.name as string | undefined,
    scopes: options.scope as string[] | undefined,
    rateLimit: options['rate-limit'] as string | undefined,
    expires: options.expires as string | undefined,
    allScopes: await application.scopes(),
  }
  const key = await withCatalog(config, async (catalog) => {
    await setApiKey(catalog, values[0]!, changes, cliActor())
    return requireApiKey(catalog, values[0]!, new Date())
  })
  printResult(terminal, { json: options.json, result: key })
  const until = key.expires_at === null ? 'without an end' : `until ${key.expires_at}`
  terminal.stderr(
    `API key ${key.id} (${key.name}): ${key.scopes.join(' ')}, ${until}, rate limit ${rateLimitOf(key)}. The change applies to its next request.`,
  )
}

export const revokeKeyCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const key = await withCatalog(config, async (catalog) => {
    await revokeApiKey(catalog, values[0]!, cliActor())
    return requireApiKey(catalog, values[0]!, new Date())
  })
  printResult(terminal, { json: options.json, result: key })
  terminal.stderr(`API key ${values[0]} is revoked.`)
}

/** Recovers from a lost pepper: voids every key, so that the service can start again. */
export const revokeAllKeysCommand: CommandHandler = async ({ options }, config, terminal) => {
  const { keys, users, servers } = await withCatalog(config, async (catalog, _databases, opened) => {
    if (!opened.claimFiles())
      throw new UserError('A server is running here, so its pepper is not lost; stop the server first.')
    return voidLostPepper(catalog, opened.pepper(), cliActor())
  })
  printResult(terminal, { json: options.json, result: { keys, users, servers } })
  const consequences = [
    `All API keys are void (${keys}): create new ones with \`tenantdesk key create\`.`,
    users.length > 0 && `Two-factor authentication is off for ${users.join(', ')} until they set it up again.`,
    servers.length > 0 &&
      `The URLs of servers ${servers.join(', ')} are lost: set them again with \`tenantdesk server set\`.`,
    'The next `tenantdesk serve` starts with the pepper it is given, or creates a new one.',
  ]
  terminal.stderr(consequences.filter(Boolean).join('\n'))
}

export const deleteKeyCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  await withCatalog(config, (catalog) => deleteApiKey(catalog, values[0]!, cliActor()))
  printResult(terminal, { json: options.json, result: { id: values[0], deleted: true } })
  terminal.stderr(`API key ${values[0]} is deleted.`)
}
