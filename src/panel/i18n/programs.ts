// The names of the programs whose exports have a shipped mapping, which are the same in every language.

const names: Record<string, string> = {
  'snipe-it': 'Snipe-IT',
  glpi: 'GLPI',
  itflow: 'ITFlow',
  jamf: 'Jamf',
  intune: 'Microsoft Intune',
  entra: 'Microsoft Entra',
  'google-workspace': 'Google Workspace',
}

/** Returns the name of the program, or of the mapping if the program is not known. */
export function exporterName(mapping: string): string {
  return names[mapping] ?? mapping
}
