import { customers } from './customers.ts'
import { employees } from './employees.ts'
import { hardware } from './hardware.ts'
import { deriveOnce, type Resource, type Resources } from './resource.ts'

/** Saved list views. `columns` is stored as names separated by commas; views.php represents them as a list of
 *  strings. */
export const views = {
  name: 'views',
  singular: 'view',
  since: 8,
  about: 'A list saved under a name, with its filters, sort order and columns.',
  title: ['name'],
  example: {
    create: { name: 'Laptops in repair', resource: 'hardware', query: 'type=laptop&status=in_repair&sort=name' },
    update: { is_shared: true },
  },
  fields: {
    name: { kind: 'text', min: 1, max: 100, required: true, format: 'one_line' },
    resource: {
      kind: 'choice',
      of: [customers.name, employees.name, hardware.name],
      required: true,
      about: 'The resource of the list.',
    },
    query: {
      kind: 'text',
      max: 2000,
      default: '',
      about:
        'The query string of the list, without `?` and `cursor`, such as `status=spare&sort=name`. Empty: all records. ' +
        'Only the panel can sort by `customer_name` or `employee_name`.',
    },
    columns: {
      kind: 'text',
      max: 2000,
      about: 'The columns, named as in `fields` of an export. Null: the default columns.',
    },
    is_shared: {
      kind: 'boolean',
      default: false,
      about: 'Whether everyone can see the view, or only the API key or the user that created it.',
    },
    api_key_id: { kind: 'text', max: 100, readOnly: true, about: 'The API key that created the view.' },
    user_id: { kind: 'text', max: 100, readOnly: true, about: 'The user who created the view in the panel.' },
  },
} as const satisfies Resource

/** The declaration of saved views, which can also be saved for the lists of these resources. */
export const viewsOf = deriveOnce((resources: Resources): Resource => {
  const { resource } = views.fields
  const names = new Set([...resource.of, ...resources.map(({ name }) => name)])
  return { ...views, fields: { ...views.fields, resource: { ...resource, of: [...names] } } }
})
