// Renders hidden form fields that keep the current URL's parameters.

import { hiddenField } from '../../components/forms.ts'

export function hiddenFields(parameters: Record<string, string | undefined>): string {
  return Object.entries(parameters)
    .map(([name, value]) => (value === undefined ? '' : hiddenField(name, value)))
    .join('')
}
