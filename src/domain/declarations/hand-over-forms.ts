import type { Resource } from './resource.ts'

/** The forms that have been printed, each stored once. A form contains no personal data to erase, because names and
 *  equipment are read from the records and the history whenever the form is printed. `employee_id` is not a reference,
 *  because a form must not prevent the deletion of a person. The API has no endpoint for forms. */
export const handOverForms = {
  name: 'hand_over_forms',
  scope: '*',
  singular: 'hand-over form',
  since: 9,
  about: 'Printed forms that people sign for equipment.',
  fields: {
    kind: { kind: 'choice', of: ['hand_over', 'return', 'loan', 'statement'], required: true },
    number: { kind: 'integer', min: 1, required: true, about: 'The newest change that the form covers.' },
    items: {
      kind: 'integer',
      min: 1,
      since: 11,
      about:
        'How many assets the form lists. If it lists what a person holds, `number` and `items` together identify it.',
    },
    employee_id: { kind: 'integer', min: 1, required: true, about: 'The person who signs the form.' },
    change_set: {
      kind: 'text',
      max: 36,
      about: 'The change set that the form covers. Null: it lists what the person holds.',
    },
    copies: { kind: 'integer', min: 1, default: 1, about: 'How often the form has been printed.' },
  },
} as const satisfies Resource
