// Describes a user's roles as text.

import type { User } from '../../../accounts/users.ts'
import type { Texts } from '../../i18n/index.ts'

/** Returns for example `Administrator`, or `acme: Manager, beta: Viewer`. */
export function describeRoles(texts: Texts, { role, roles }: User): string {
  if (role === 'administrator') return texts.roles.administrator
  return roles.map((each) => `${each.tenant_slug}: ${texts.roles[each.role]}`).join(', ')
}
