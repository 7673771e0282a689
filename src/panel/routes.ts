// The panel's route table.

import { showProfile, submitProfile } from './pages/account/page.ts'
import { showActivity, submitActivity } from './pages/activity.ts'
import { showApiKeys, submitApiKeys } from './pages/api-keys/page.ts'
import { showBulkEdit, submitBulkEdit } from './pages/bulk-edit/page.ts'
import { closeBranchPage } from './pages/close-branch/page.ts'
import { givePage } from './pages/desk/give.ts'
import { offboardPage } from './pages/desk/offboard.ts'
import { verbPage } from './pages/desk/verb-page.ts'
import { showHandOver, submitHandOver } from './pages/hand-over/page.ts'
import { showHome } from './pages/home/tenant.ts'
import { showImports, submitImports } from './pages/import/page.ts'
import { showLogin, submitLogin, submitLogout } from './pages/login.ts'
import { showRecords, submitRecords } from './pages/records/page.ts'
import { showSearch } from './pages/search/page.ts'
import { showEvents } from './pages/security-log/page.ts'
import { showSetup, submitSetup } from './pages/setup.ts'
import { showTenantSettings, submitTenantSettings } from './pages/tenant-settings.ts'
import { showTenants, submitTenants } from './pages/tenants/page.ts'
import { showUsers, submitUsers } from './pages/users/page.ts'
import type { PageRequest, SignedInRequest } from './requests/request.ts'
import type { PageResponse } from './responses.ts'

type PageHandler<Request> = (request: Request) => PageResponse | Promise<PageResponse>

/** `role`: only users with this role can open the page; other users get a 404. `acceptsFile`: the page's forms may
 *  contain a file. */
export type PanelPage = { acceptsFile?: true } & (
  | { isPublic: true; show: PageHandler<PageRequest>; submit: PageHandler<PageRequest> }
  | {
      isPublic?: false
      role?: 'administrator'
      show: PageHandler<SignedInRequest>
      submit?: PageHandler<SignedInRequest>
    }
)

/** Performs a verb, such as lending, if the URL names one. Otherwise the page gives equipment to a person. */
const assignPage: PanelPage = {
  show: (request) => (request.query.has('do') || request.query.has('ids') ? verbPage : givePage).show(request),
  submit: (request) => (request.query.has('person') ? givePage : verbPage).submit(request),
}

export const pages: Record<string, PanelPage> = {
  '': { show: showHome },
  'login.php': { isPublic: true, show: showLogin, submit: submitLogin },
  'logout.php': { show: showHome, submit: submitLogout },
  'setup.php': { isPublic: true, show: showSetup, submit: submitSetup },
  'profile.php': { show: showProfile, submit: submitProfile },
  'records.php': { show: showRecords, submit: submitRecords },
  'search.php': { show: showSearch },
  'assign.php': assignPage,
  'offboard.php': offboardPage,
  'activity.php': { show: showActivity, submit: submitActivity },
  'bulk_edit.php': { show: showBulkEdit, submit: submitBulkEdit },
  'close_branch.php': closeBranchPage,
  'hand_over.php': { show: showHandOver, submit: submitHandOver },
  'import.php': { acceptsFile: true, show: showImports, submit: submitImports },
  'tenant_settings.php': { show: showTenantSettings, submit: submitTenantSettings },
  'api_keys.php': { show: showApiKeys, submit: submitApiKeys },
  'tenants.php': { role: 'administrator', show: showTenants, submit: submitTenants },
  'users.php': { show: showUsers, submit: submitUsers },
  'events.php': { role: 'administrator', show: showEvents },
}
