// The form that changes the user's language, theme and row height.

import { setPreferences } from '../../../accounts/users.ts'
import { form, selectField, submitButton } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { isLanguage, isTheme, languages } from '../../i18n/index.ts'
import { rowSizes, type SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { safePagePath } from '../../urls.ts'
import type { Section } from './section.ts'

export const preferencesSection: Section = {
  title: (texts) => texts.profile.preferences,
  show: preferencesForm,
  actions: { do_preferences: savePreferences },
}

function preferencesForm(request: SignedInRequest): string {
  const { texts, session, rowSize } = request
  const languageChoices = Object.entries(languages).map(([name, { language }]) => [name, language] as const)
  const [language] = Object.entries(languages).find(([, { locale }]) => locale === texts.locale) ?? ['en']
  const theme = session.user.theme ?? 'system'
  const fields = [
    selectField({ name: 'language', label: texts.profile.language, choices: languageChoices, value: language }),
    selectField({ name: 'theme', label: texts.frame.theme, choices: Object.entries(texts.themes), value: theme }),
    selectField({
      name: 'rows',
      label: texts.layout.rowHeight,
      value: rowSize,
      hint: texts.layout.rowHeightHint,
      choices: rowSizes.map((each) => [each, texts.layout.rowSizes[each]] as const),
    }),
    buttonRow(submitButton(texts.save, { name: 'do_preferences' })),
  ]
  return form(request, 'profile.php', fields.join('\n'))
}

/** Handles two forms: this page's form, and the form in the account menu. Only the latter has a `back` field,
 *  which names the page to return to. */
async function savePreferences({ deps, session, form: formValues }: SignedInRequest): Promise<PageResponse> {
  const [language, theme, rows, back] = ['language', 'theme', 'rows', 'back'].map((name) => formValues.get(name))
  const isInvalid = (language && !isLanguage(language)) || (theme && !isTheme(theme)) || (rows && !isRowSize(rows))
  if (isInvalid || !(language || theme || rows)) throw new PageError(400, 'bad_request')
  if (language || theme)
    await setPreferences(deps.catalog, session.user.id, { ...(language && { language }), ...(theme && { theme }) })
  const to = typeof back === 'string' ? { kind: 'redirect' as const, to: safePagePath(back) } : null
  const preferences = rows ? { preferences: { rows } } : {}
  return { ...(to ?? redirectTo('profile.php', { notice: 'saved' })), ...preferences }
}

function isRowSize(value: string): boolean {
  return rowSizes.some((each) => each === value)
}
