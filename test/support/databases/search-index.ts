import type { TenantDatabase } from './tenant-database.ts'

/** The number of customers that SQLite's search index does not contain yet, or not in their current form. */
export async function countUnindexed(tenantDatabase: TenantDatabase): Promise<number> {
  const [{ count }] = await tenantDatabase.all(`select count(*) as count from (
    select id from customers_unsearched
    union select id from customers where id > (select coalesce(max(id), 0) from customers_search_docsize))`)
  return count
}
