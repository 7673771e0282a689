// The introduction to the OpenAPI document: what a new client needs to know in addition to the operations.

import { type Config, rateLimits } from '../../config.ts'
import { recordLimits } from '../parse-request.ts'

/** Returns CommonMark: paragraphs with code spans. */
export function guide(config: Config): string {
  return [
    'Every request sends an API key in an `Authorization: Bearer <api_key>` header and acts for the tenant that the ' +
      'key belongs to. Records of other tenants are reported as not found.',

    'Request and response bodies are JSON objects. Every error is `{"error": {"code", "message", "status"}}`: the code is ' +
      'for programs, the message for people. All invalid fields are reported at once.',

    'Text is trimmed, also of marks without a width, and stored in Unicode normalization form C. `null` or empty text clears an optional field, or resets it to its default. Integers and booleans ' +
      'are also accepted as text. `id`, `created_at`, `updated_at` and unknown members of a body are ignored. With ' +
      '`Prefer: handling=strict`, unknown members are rejected, which catches misspelled names.',

    'Send an `Idempotency-Key` with POST, PUT or DELETE to retry safely: for 24 hours, repeating the request returns the ' +
      'first response again without making any changes, with `Idempotent-Replayed: true`. ' +
      (config.IDEMPOTENCY_REUSE === 'replay'
        ? 'A different request with the same key returns the first response, too, with `Idempotency-Mismatch: true`.'
        : 'A different request with the same key is rejected with `idempotency_key_reused`.') +
      ' If the API key lacks the scope for the first request, the response is 403 `forbidden` instead.',

    '`external_id` is the id of a record in your own system. Use `external_id=X` instead of `id` in the query to select a record. ' +
      'PUT with `external_id` creates the record if it does not exist, following the same rules as POST. With `If-None-Match: *`, PUT only ' +
      'creates records; with `If-Match`, it only updates them. A body can refer to a related record by its external id, with `customer_external_id` ' +
      'instead of `customer_id`. URLs often end up in the logs of proxies, so external ids should not contain secrets or personal data.',

    'Lists are paginated: follow `page.next_cursor` or the `Link` header until there is no next page. `sort`, filters on any field ' +
      '(`status=lost`, `purchase_cost[gte]=100000`), search words (`q`), a count (`total`) and related records (`include`) ' +
      'can be combined. Lists of values are separated by commas or given as repeated parameters (`id[in]=1&id[in]=2`). `include` requires read access to the related resources: `include=employee.customer` needs ' +
      '`employees:read` and `customers:read` as well.',

    '`format=csv` or `format=ndjson` returns the whole list as a file. If the connection is closed before the end of the ' +
      'response, which HTTP libraries report as an error, the file is incomplete: request it again.',

    'Every change is recorded. `/changes.php` returns the history in order and can be polled for new changes; `as_of` ' +
      'returns records and lists as they were at a past time. The changes made by one request form a change set: the ' +
      '`Change-Set` response header contains its UUID, and `/undo.php` undoes it.',

    'A response with a single record has an `ETag`. Send the ETag in `If-Match` to update or delete the record only if nobody ' +
      'has changed it since. Send it in `If-None-Match` with GET to receive 304 if the record has not changed. If a proxy weakens the ' +
      'ETag (`W/"…"`), both headers accept the weakened one.',

    'Responses of 1 KiB and more are compressed with zstd, Brotli or gzip, as `Accept-Encoding` allows. The ETag is the same for ' +
      'all encodings.',

    `\`POST /bulk.php\` applies up to ${config.BULK_LIMIT} changes in one request and one transaction, with a body of up to ` +
      `${config.BULK_BODY_LIMIT_BYTES} bytes. It counts as one request towards the rate limit.`,

    limitsParagraph(rateLimits(config)),

    compatibility,

    `A body may be up to ${config.BODY_LIMIT_BYTES} bytes long. A body longer than ${recordLimits.scannedFrom} bytes may have up to ` +
      `${recordLimits.nesting} levels of nesting and ${recordLimits.members} members in total. Compressed bodies are rejected. ` +
      'The request line and the headers together may be up to 16384 bytes long. Quote the `X-Request-Id` when you ask for help.',
  ].join('\n\n')
}

const compatibility =
  'What may change within version 1: new paths, new optional parameters, new members in responses and optional members in ' +
  'requests, new values of enumerations, and new codes of errors and fields. Programs ignore members that they do not know, and ' +
  'treat an unknown error code according to its status. The meaning and the type of what exists do not change. Before an ' +
  'endpoint, parameter or member is removed, its responses have the `Deprecation` header (RFC 9745), and the `Sunset` header (RFC 8594) ' +
  'with the earliest date of removal, which is at least twelve months later; the changelog says what replaces it.'

function limitsParagraph({ key, tenant }: ReturnType<typeof rateLimits>): string {
  const limits = [
    ...(key > 0 ? [`A key may send ${key} requests a minute.`] : []),
    ...(tenant > 0 ? [`All keys of a tenant together may send ${tenant} requests a minute.`] : []),
  ]
  const further = [
    'An individual key can have its own limit instead, or no limit.',
    '`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` show the current state. Requests over the limit are rejected with 429 and `Retry-After: 60`.',
  ]
  return [...limits, ...further].join(' ')
}
