// Arguments and options that several commands share.

import type { Option } from '../usage.ts'

export const slug = { slug: 'short name of the tenant' }

export const json: Option = { help: 'print the result as a JSON object', isOmittedFromUsage: true }

export const jsonArray: Option = { help: 'print a JSON array' }
