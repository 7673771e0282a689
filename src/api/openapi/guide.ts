// The introduction of the API document: what a new client needs to know besides the operations.

import { recordLimits } from '../parse-request.ts'
import type { Description } from './description.ts'

/** CommonMark: paragraphs with code spans. */
export function guide({ rateLimits, reuse, bodyLimit, bulk }: Description): string {
  return [
    'Every request carries an API key in the header `Authorization: Bearer <api_key>` and is made on behalf of the tenant ' +
      'that the key belongs to. A record of another tenant is treated as not found.',

    'Bodies are JSON objects, answers are JSON. Every error is `{"error": {"code", "message", "status"}}`: programs look at ' +
      'the code, people read the message. All invalid fields are reported at once.',

    'Text is trimmed; `null` or empty text clears an optional field (one with a default goes back to it). Integers and ' +
      'booleans are also taken as text. `id`, `created_at`, `updated_at` and unknown members of a body are ignored; ' +
      'with `Prefer: handling=strict` unknown ones are refused, which finds misspelled names.',

    'POST, PUT and DELETE can be repeated safely with an `Idempotency-Key`: the first answer comes again for 24 hours and ' +
      'nothing happens twice. ' +
      (reuse === 'replay'
        ? 'A different request with a used key gets the first answer too.'
        : 'A different request with a used key is refused with `idempotency_key_reused`.') +
      ' An API key without the scope of the first request gets 403 `forbidden` instead of its answer.',

    '`external_id` is the id of a record in your own system. `external_id=X` in the query selects the record in place of `id`, and PUT ' +
      'creates the record if there is none, under the rules of POST. `If-None-Match: *` then refuses to change one that exists, and ' +
      '`If-Match` to create one. A body can give the external id of a related record: `customer_external_id` in place of ' +
      '`customer_id`. Addresses are often logged by proxies, so an external id should be neither secret nor personal.',

    'A list comes in pages: follow `page.next_cursor`, or the `Link` to the next page, until there is none. `sort`, filters on ' +
      'any field (`status=lost`, `purchase_cost[gte]=100000`), words to search for (`q`), a count (`total`) and related ' +
      'records (`include`) can be asked for together. `include` shows a record only to a key that may read its resource: ' +
      '`include=employee.customer` needs `employees:read` and `customers:read` as well.',

    '`format=csv` or `format=ndjson` returns the whole list as a file. A client that gets no end of the response (an error ' +
      'of its HTTP library) has an incomplete file and should ask again.',

    'Every change is recorded: `/changes.php` lists the changes in order and can be followed, and `as_of` with a time shows ' +
      'records and lists as they were then. What one request changes is a change set; `Change-Set` of its answer is its UUID, ' +
      'and `/undo.php` undoes it.',

    'Each answer that is one record has its `ETag`. PUT and DELETE with it in `If-Match` happen only while the record is as you ' +
      'know it; GET with it in `If-None-Match` answers 304 then.',

    `\`POST /bulk.php\` makes up to ${bulk.operations} changes in one request and one transaction, with a body of up to ` +
      `${bulk.bytes} bytes. It counts as one request against the rate limit.`,

    limitsParagraph(rateLimits),

    `A body may have ${bodyLimit} bytes, one of more than ${recordLimits.scannedFrom} at most ${recordLimits.nesting} levels of ` +
      `nesting and ${recordLimits.members} members in all; compressed bodies are refused. The request line and headers may have ` +
      '16384 bytes together. Quote `X-Request-Id` when you ask for help.',
  ].join('\n\n')
}

function limitsParagraph({ key, tenant }: Description['rateLimits']): string {
  const limits = [
    ...(key > 0 ? [`A key may send ${key} requests a minute.`] : []),
    ...(tenant > 0 ? [`All keys of a tenant together may send ${tenant} requests a minute.`] : []),
  ]
  const others = [
    'A key can have a limit of its own, or none, which replaces these.',
    '`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` show the current state; further requests get 429 with `Retry-After: 60`.',
  ]
  return [...limits, ...others].join(' ')
}
