import { type AuditActor, recordEvent } from '../../catalog/audit/audit-log.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type ErasureRequest, erasureOperations } from '../../domain/people-data/operations.ts'
import type { ChangeContext } from '../../domain/records/changes.ts'
import type { IdempotencyKeyUse } from '../../engine/responses/idempotency.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import type { Storage } from '../../engine/storage.ts'
import type { Tenant } from '../tenants.ts'

/** Erases a person in a tenant's database, and records the erasure in the audit log, without personal data. The caller
 *  then compacts the database, to remove what remains in its free space. */
export async function erasePerson(
  { catalog, storage }: { catalog: Catalog; storage: Pick<Storage, 'run'> },
  tenant: Tenant,
  input: { context: ChangeContext; idempotency: IdempotencyKeyUse | null; request: ErasureRequest },
  actor: AuditActor,
): Promise<StoredResponse> {
  const response = await storage.run(tenant, erasureOperations.erasePerson, input)
  if (response.status === 200 && !response.replay) {
    const detail = { slug: tenant.slug, resource: input.request.resource, ...JSON.parse(response.body) }
    await recordEvent(catalog, 'person_erased', actor, { tenantId: tenant.id, detail })
  }
  return response
}
