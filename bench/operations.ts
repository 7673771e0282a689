// What is measured: each operation once, the same bytes for the floor and the service.

/** Requests of one kind. `freshKeys`: each carries an Idempotency-Key that was never used. */
export type Operation = { name: string; method: 'GET' | 'POST'; paths: string[]; body?: string; freshKeys?: true }

const path = '/customers.php'

const body = JSON.stringify({
  name: 'Harbour branch',
  code: 'HB-01',
  email: 'harbour@example.com',
  phone: '+49 40 123456',
  city: 'Hamburg',
  country: 'DE',
})

/** The first records that the warm-up makes; every connection goes through them in turn. */
const ids = Array.from({ length: 50 }, (_, at) => at + 1)

/** In this order: reads find what creates have made. The floor gets the key of the second too, and ignores it. */
export const operations: Operation[] = [
  { name: 'create', method: 'POST', paths: [path], body },
  { name: 'create, fresh Idempotency-Key', method: 'POST', paths: [path], body, freshKeys: true },
  { name: 'read by id', method: 'GET', paths: ids.map((id) => `${path}?id=${id}`) },
]
