// The form that changes the user's name.

import { renameUser } from '../../../accounts/edit-user.ts'
import { form, submitButton, textField } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { FormErrors } from '../../requests/submit.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import type { Section } from './section.ts'

export const nameSection: Section = {
  title: (texts) => texts.profile.name,
  show: nameForm,
  actions: { do_name: saveName },
}

function nameForm(request: SignedInRequest, { errorMessage: error }: FormErrors): string {
  const { texts, session, form: formValues } = request
  const value = formValues.get('name') ?? session.user.name ?? ''
  const field = textField({
    name: 'name',
    label: texts.profile.name,
    hint: texts.profile.nameHint,
    value,
    error,
    autocomplete: 'name',
  })
  return form(request, 'profile.php', field + buttonRow(submitButton(texts.save, { name: 'do_name' })))
}

async function saveName({ deps, session, form: formValues, actor }: SignedInRequest): Promise<PageResponse> {
  await renameUser(deps.catalog, session.user.id, formValues.get('name') ?? '', actor)
  return redirectTo('profile.php', { notice: 'saved' })
}
