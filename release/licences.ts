// The licences of the packages that a release contains or installs.

type Licence = { license?: { id?: string }; expression?: string }
type Component = { name: string; version: string; licenses?: Licence[] | undefined }

/** The part of a CycloneDX document that this file reads. */
type Bom = { components: Component[] }

/** These licences only require that their notice is kept. They do not impose any condition on the licence of the
 *  program that uses the package. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']

/** One line for each package: name, version, licence. Throws if a licence is missing or not permissive. */
export function licencesOf({ components }: Bom): string {
  const rows = components.map((component) => [component.name, component.version, licenceOf(component)] as const)
  const others = rows.filter(([, , licence]) => !isPermissive(licence))
  if (others.length > 0)
    throw new Error(`Not a permissive licence: ${others.map(([name, , licence]) => `${name} (${licence})`).join(', ')}`)
  const width = Math.max(...rows.map(([name, version]) => name.length + version.length))
  return rows.map(([name, version, licence]) => `${`${name}@${version}`.padEnd(width + 3)}${licence}\n`).join('')
}

/** An SPDX identifier or expression. */
function licenceOf({ licenses = [] }: Component): string {
  return licenses.map(({ license, expression }) => expression ?? license?.id ?? 'unknown').join(' AND ') || 'unknown'
}

function isPermissive(licence: string): boolean {
  const ids = licence.match(/[\w.+-]+/g)!.filter((word) => !['AND', 'OR'].includes(word))
  return ids.every((id) => permissive.includes(id))
}
