import type { Field, Resource } from './resource.ts'

/** A tenant's settings, apart from the tenant's name. The table has at most one record, with the id 1. If this record
 *  does not exist, every setting has its default. */
export const settings = {
  name: 'settings',
  singular: 'setting',
  since: 6,
  fields: {
    currency: {
      kind: 'text',
      max: 3,
      format: 'currency',
      default: 'EUR',
      about: 'The ISO 4217 code of the currency for all amounts, such as EUR.',
    },
    time_zone: {
      kind: 'text',
      max: 64,
      format: 'time_zone',
      default: 'UTC',
      about: 'The IANA name of the time zone in which the panel shows times, such as Europe/Berlin.',
    },
    customers_called: {
      kind: 'choice',
      of: ['branches', 'clients'],
      default: 'branches',
      about: 'The word that the panel uses for customers.',
    },
    warranty_notice_days: {
      kind: 'integer',
      min: 0,
      max: 3650,
      default: 60,
      about: 'How many days before its end a warranty is first shown as ending soon.',
    },
    tag_format: {
      kind: 'text',
      max: 50,
      format: 'tag',
      about: 'The format of asset tags: `TD-{0000}` means TD- followed by four digits. Null: no common format.',
    },
    next_tag_number: {
      kind: 'integer',
      min: 1,
      max: 999_999_999,
      default: 1,
      about: 'The lowest number for suggested asset tags. Forms suggest the first unused number from here on.',
    },
    form_text: {
      kind: 'text',
      max: 2000,
      since: 11,
      about: "The company's own text on forms that people sign, after the standard clause. Null: no such text.",
    },
    form_shows_cost: {
      kind: 'boolean',
      default: false,
      since: 11,
      about: 'Whether hand-over forms show the purchase cost of each asset.',
    },
  },
} as const satisfies Resource

/** Clients see the tenant's name as a setting, although it is stored in the catalog. */
const name = {
  kind: 'text',
  min: 1,
  max: 100,
  format: 'one_line',
  required: true,
  about: 'The name of the tenant.',
} as const satisfies Field

/** The settings as they appear in requests and responses. */
export const tenantSettings = { ...settings, fields: { name, ...settings.fields } } as const satisfies Resource
