// The labels of fields in the languages of the panel. Imported files may use them as column titles.

/** In the order in which users choose from them; the first is the default. */
export const labelLanguages = ['en', 'de', 'tr'] as const

export type LabelLanguage = (typeof labelLanguages)[number]

const labels = {
  name: { en: 'Name', de: 'Name', tr: 'Ad' },
  code: { en: 'Code', de: 'Kürzel', tr: 'Kod' },
  email: { en: 'Email', de: 'E-Mail', tr: 'E-posta' },
  phone: { en: 'Phone', de: 'Telefon', tr: 'Telefon' },
  address: { en: 'Address', de: 'Anschrift', tr: 'Adres' },
  city: { en: 'City', de: 'Ort', tr: 'Şehir' },
  country: { en: 'Country', de: 'Land', tr: 'Ülke' },
  tax_id: { en: 'Tax number', de: 'Steuernummer', tr: 'Vergi numarası' },
  type: { en: 'Type', de: 'Art', tr: 'Tür' },
  is_active: { en: 'Active', de: 'Aktiv', tr: 'Etkin' },
  contract_end: { en: 'Contract ends', de: 'Vertragsende', tr: 'Sözleşme bitişi' },
  notes: { en: 'Notes', de: 'Notizen', tr: 'Notlar' },
  customer_id: { en: 'Customer', de: 'Kunde', tr: 'Müşteri' },
  department: { en: 'Department', de: 'Abteilung', tr: 'Departman' },
  title: { en: 'Job title', de: 'Position', tr: 'Unvan' },
  employee_no: { en: 'Employee number', de: 'Personalnummer', tr: 'Sicil numarası' },
  start_date: { en: 'Start date', de: 'Eintrittsdatum', tr: 'İşe giriş tarihi' },
  end_date: { en: 'End date', de: 'Austrittsdatum', tr: 'İşten çıkış tarihi' },
  is_remote: { en: 'Works remotely', de: 'Arbeitet remote', tr: 'Uzaktan çalışıyor' },
  employee_id: { en: 'Employee', de: 'Mitarbeiter', tr: 'Çalışan' },
  status: { en: 'Status', de: 'Status', tr: 'Durum' },
  asset_tag: { en: 'Asset tag', de: 'Inventarnummer', tr: 'Demirbaş numarası' },
  serial_number: { en: 'Serial number', de: 'Seriennummer', tr: 'Seri numarası' },
  manufacturer: { en: 'Manufacturer', de: 'Hersteller', tr: 'Üretici' },
  model: { en: 'Model', de: 'Modell', tr: 'Model' },
  purchase_date: { en: 'Purchase date', de: 'Kaufdatum', tr: 'Satın alma tarihi' },
  warranty_end: { en: 'Warranty ends', de: 'Garantie bis', tr: 'Garanti bitişi' },
  purchase_cost: { en: 'Purchase cost', de: 'Kaufpreis', tr: 'Satın alma bedeli' },
  is_loaner: { en: 'Loaner', de: 'Leihgerät', tr: 'Ödünç cihaz' },
  external_id: { en: 'External ID', de: 'Externe ID', tr: 'Harici kimlik' },
  kind: { en: 'Kind', de: 'Art', tr: 'Tür' },
  due_back: { en: 'Due back', de: 'Rückgabe bis', tr: 'Geri verileceği tarih' },
  last_seen_at: { en: 'Last seen', de: 'Zuletzt gesehen', tr: 'Son görülme' },
  currency: { en: 'Currency', de: 'Währung', tr: 'Para birimi' },
  time_zone: { en: 'Time zone', de: 'Zeitzone', tr: 'Saat dilimi' },
  customers_called: { en: 'Customers are called', de: 'Kunden heißen', tr: 'Müşterilerin adı' },
  warranty_notice_days: { en: 'Warranty notice (days)', de: 'Garantiehinweis (Tage)', tr: 'Garanti uyarısı (gün)' },
  tag_format: { en: 'Asset tag format', de: 'Format der Inventarnummern', tr: 'Demirbaş numarası biçimi' },
  next_tag_number: { en: 'Next asset tag number', de: 'Nächste Inventarnummer', tr: 'Sıradaki demirbaş numarası' },
  resource: { en: 'List', de: 'Liste', tr: 'Liste' },
  query: { en: 'Filters', de: 'Filter', tr: 'Filtreler' },
  columns: { en: 'Columns', de: 'Spalten', tr: 'Sütunlar' },
  is_shared: { en: 'Shared', de: 'Geteilt', tr: 'Paylaşılan' },
  api_key_id: { en: 'API key', de: 'API-Schlüssel', tr: 'API anahtarı' },
  user_id: { en: 'User', de: 'Benutzer', tr: 'Kullanıcı' },
  created_at: { en: 'Created', de: 'Angelegt', tr: 'Oluşturulma' },
  updated_at: { en: 'Updated', de: 'Geändert', tr: 'Güncellenme' },
} as const satisfies Record<string, Record<LabelLanguage, string>>

/** The labels of all fields in one language, by field name. */
export function fieldLabelsIn(language: LabelLanguage): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, each]) => [name, each[language]]))
}

/** The label of a field in each language, without repetitions; none if it is not translated. */
export function labelsOfField(name: string): string[] {
  const known = (labels as Record<string, Record<LabelLanguage, string>>)[name]
  return known ? [...new Set(labelLanguages.map((language) => known[language]))] : []
}
