// Every page of the panel: its address, who may see it, what shows it and what carries out its form.

import { showActivity } from './activity.ts'
import { showApiKeys, submitApiKeys } from './api-keys.ts'
import { showDashboard } from './dashboard.ts'
import { showEvents } from './events.ts'
import { showLogin, submitLogin, submitLogout } from './login.ts'
import { showProfile, submitProfile } from './profile.ts'
import { showRecords, submitRecords } from './records.ts'
import { showSetup, submitSetup } from './setup.ts'
import { showTenants, submitTenants } from './tenants.ts'
import { showUsers, submitUsers } from './users.ts'
import type { Answer, SignedIn, Visit } from './visit.ts'

type Show<V> = (visit: V) => Answer | Promise<Answer>

/** `role`: for people of this role alone; to others the page is not there. */
export type Page =
  | { isOpen: true; show: Show<Visit>; submit: Show<Visit> }
  | { isOpen?: false; role?: 'administrator'; show: Show<SignedIn>; submit?: Show<SignedIn> }

export const pages: Record<string, Page> = {
  '': { show: showDashboard },
  'login.php': { isOpen: true, show: showLogin, submit: submitLogin },
  'logout.php': { show: showDashboard, submit: submitLogout },
  'setup.php': { isOpen: true, show: showSetup, submit: submitSetup },
  'profile.php': { show: showProfile, submit: submitProfile },
  'records.php': { show: showRecords, submit: submitRecords },
  'activity.php': { show: showActivity },
  'api_keys.php': { show: showApiKeys, submit: submitApiKeys },
  'tenants.php': { role: 'administrator', show: showTenants, submit: submitTenants },
  'users.php': { role: 'administrator', show: showUsers, submit: submitUsers },
  'events.php': { role: 'administrator', show: showEvents },
}
