// Commands that run and examine the service.

import { type SettingText, serverSettings } from '../../config.ts'
import { visibleJson } from '../../lib/text.ts'
import { UserError } from '../../lib/user-error.ts'
import { type Command, command, jsonArray } from '../command.ts'
import { describeFindings, examine, invalidSetting } from '../doctor/doctor.ts'
import { printList, type TableColumns } from '../output.ts'
import type { LoadedSettings } from '../setting-sources.ts'

export const serviceCommands: readonly Command[] = [
  command({
    words: 'serve',
    help: 'Starts the server. Settings are environment variables, or lines of a .env file in DATA_DIR or the working directory.',
    examples: ['serve'],
    async run(_input, context) {
      await context.application.serve(context)
    },
  }),
  /** Prints the settings that a server would have if this user started it in this directory. */
  command({
    words: 'config',
    help: 'Prints every setting with its value and where the value comes from. Secrets are masked.',
    options: { json: jsonArray },
    examples: ['config', 'config --json'],
    async run({ json }, { settings, terminal }) {
      const rows = listSettings(settings)
      printList(terminal, { json, rows, columns: settingColumns })
      for (const { path, isPresent } of settings.files)
        terminal.stderr(isPresent ? `Settings were read from ${path}.` : `There is no file ${path}.`)
      for (const warning of settings.warnings) terminal.stderr(warning)
    },
  }),
  /** Throws UserError if a finding is an error. */
  command({
    words: 'doctor',
    help: 'Examines the installation and the running server, and suggests what to do. Does not change anything.',
    options: { json: { help: 'print the findings as a JSON array' } },
    examples: ['doctor', 'doctor --json'],
    async run({ json }, context) {
      const { terminal } = context
      const findings = await examine(context)
      terminal.stdout(json ? visibleJson(findings) : describeFindings(findings, terminal))
      const errors = findings.filter(({ status }) => status === 'error').length
      if (errors > 0) throw new UserError(`There ${errors === 1 ? 'is 1 problem' : `are ${errors} problems`} to solve.`)
    },
    printSettingError({ json }, error, terminal) {
      if (json) terminal.stdout(visibleJson([invalidSetting(error)]))
    },
  }),
]

type ListedSetting = {
  name: string
  /** Null if the setting is unset and has no default. Secrets are masked. */
  value: string | null
  /** `default`, `environment`, or a file's path. */
  source: string
  /** The variable that was read: the setting's name, possibly with _FILE. Null for a default. */
  variable: string | null
}

const settingColumns: TableColumns<ListedSetting> = {
  SETTING: ({ name }) => name,
  VALUE: ({ value }) => value,
  SOURCE: ({ name, source, variable }) => (variable === null || variable === name ? source : `${source}, ${variable}`),
}

function listSettings({ texts }: LoadedSettings): ListedSetting[] {
  return Object.entries<{ default: string; secret?: true | 'url' }>(serverSettings).map(([name, setting]) => {
    const setText = texts.get(name)
    if (!setText) return { name, value: setting.default || null, source: 'default', variable: null }
    const { source, variable } = setText
    return { name, value: maskSecret(setting.secret, setText), source, variable }
  })
}

function maskSecret(secret: true | 'url' | undefined, { text }: SettingText): string {
  if (!secret) return text
  return secret === 'url' ? maskPassword(text) : '(set)'
}

/** Removes the password and the query, which may also contain a password. */
function maskPassword(text: string): string {
  const { protocol, username, host, pathname } = new URL(text)
  return `${protocol}//${username && `${username}@`}${host}${pathname}`
}
