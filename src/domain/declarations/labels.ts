// The labels of fields and choices in the panel's languages. Imported files may use them as column titles and values.

import type { ChoiceName, FieldName } from './names.ts'
import type { Resource } from './resource.ts'

type LabelLanguage = 'en' | 'de' | 'tr'

const labels = {
  name: { en: 'Name', de: 'Name', tr: 'Ad' },
  code: { en: 'Code', de: 'Kürzel', tr: 'Kod' },
  email: { en: 'Email', de: 'E-Mail', tr: 'E-posta' },
  phone: { en: 'Phone', de: 'Telefon', tr: 'Telefon' },
  address: { en: 'Address', de: 'Anschrift', tr: 'Adres' },
  city: { en: 'City', de: 'Ort', tr: 'Şehir' },
  country: { en: 'Country', de: 'Land', tr: 'Ülke' },
  tax_id: { en: 'VAT or tax ID', de: 'USt-IdNr. oder Steuernummer', tr: 'Vergi numarası' },
  type: { en: 'Type', de: 'Art', tr: 'Tür' },
  is_active: { en: 'Active', de: 'Aktiv', tr: 'Aktif' },
  contract_end: { en: 'Contract ends', de: 'Vertragsende', tr: 'Sözleşme bitişi' },
  notes: { en: 'Notes', de: 'Notizen', tr: 'Notlar' },
  customer_id: { en: 'Branch', de: 'Standort', tr: 'Şube' },
  department: { en: 'Department', de: 'Abteilung', tr: 'Departman' },
  title: { en: 'Job title', de: 'Position', tr: 'Unvan' },
  employee_no: { en: 'Employee number', de: 'Personalnummer', tr: 'Sicil no' },
  start_date: { en: 'Start date', de: 'Eintrittsdatum', tr: 'İşe giriş tarihi' },
  end_date: { en: 'End date', de: 'Austrittsdatum', tr: 'İşten çıkış tarihi' },
  is_remote: { en: 'Works remotely', de: 'Arbeitet remote', tr: 'Uzaktan çalışıyor' },
  employee_id: { en: 'Assigned to', de: 'Zugewiesen an', tr: 'Zimmet sahibi' },
  status: { en: 'Status', de: 'Status', tr: 'Durum' },
  asset_tag: { en: 'Asset tag', de: 'Inventarnummer', tr: 'Demirbaş no' },
  serial_number: { en: 'Serial number', de: 'Seriennummer', tr: 'Seri no' },
  manufacturer: { en: 'Manufacturer', de: 'Hersteller', tr: 'Marka' },
  model: { en: 'Model', de: 'Modell', tr: 'Model' },
  purchase_date: { en: 'Purchase date', de: 'Kaufdatum', tr: 'Satın alma tarihi' },
  warranty_end: { en: 'Warranty ends', de: 'Garantie bis', tr: 'Garanti bitişi' },
  purchase_cost: { en: 'Purchase cost', de: 'Kaufpreis', tr: 'Satın alma bedeli' },
  is_loaner: { en: 'Loaner', de: 'Leihgerät', tr: 'Emanet cihaz' },
  external_id: { en: 'External ID', de: 'Externe ID', tr: 'Harici kimlik' },
  kind: { en: 'Person or storage location', de: 'Person oder Lagerort', tr: 'Personel veya depo yeri' },
  due_back: { en: 'Due back', de: 'Rückgabe bis', tr: 'Son iade tarihi' },
  last_seen_at: { en: 'Last seen', de: 'Zuletzt gesehen', tr: 'Son görülme' },
  currency: { en: 'Currency', de: 'Währung', tr: 'Para birimi' },
  time_zone: { en: 'Time zone', de: 'Zeitzone', tr: 'Saat dilimi' },
  customers_called: { en: 'Name for branches', de: 'Bezeichnung für Standorte', tr: 'Şubeler için kullanılan ad' },
  warranty_notice_days: { en: 'Warranty notice (days)', de: 'Garantiehinweis (Tage)', tr: 'Garanti uyarısı (gün)' },
  tag_format: { en: 'Asset tag format', de: 'Format der Inventarnummern', tr: 'Demirbaş no biçimi' },
  next_tag_number: { en: 'Next asset tag number', de: 'Nächste Inventarnummer', tr: 'Sıradaki demirbaş no' },
  form_text: { en: 'Text on forms to sign', de: 'Text auf Formularen', tr: 'Tutanaklara eklenecek metin' },
  form_shows_cost: {
    en: 'Show cost on forms to sign',
    de: 'Kaufpreis auf Formularen zeigen',
    tr: 'Tutanakta bedeli göster',
  },
  resource: { en: 'List', de: 'Liste', tr: 'Liste' },
  query: { en: 'Filters', de: 'Filter', tr: 'Filtreler' },
  columns: { en: 'Columns', de: 'Spalten', tr: 'Sütunlar' },
  is_shared: { en: 'Shared', de: 'Geteilt', tr: 'Paylaşılan' },
  api_key_id: { en: 'API key', de: 'API-Schlüssel', tr: 'API anahtarı' },
  user_id: { en: 'User', de: 'Benutzer', tr: 'Kullanıcı' },
  items: { en: 'Assets', de: 'Geräte', tr: 'Demirbaş sayısı' },
  number: { en: 'Number', de: 'Nummer', tr: 'Numara' },
  change_set: { en: 'Change', de: 'Änderung', tr: 'Değişiklik' },
  mapping: { en: 'Columns and values', de: 'Spalten und Werte', tr: 'Sütunlar ve değerler' },
  copies: { en: 'Copies printed', de: 'Gedruckte Ausfertigungen', tr: 'Yazdırılan nüsha' },
  created_at: { en: 'Created', de: 'Angelegt', tr: 'Oluşturma tarihi' },
  updated_at: { en: 'Changed', de: 'Geändert', tr: 'Son güncelleme' },
} as const satisfies Record<FieldName, Record<LabelLanguage, string>>

/** The labels of members that only requests have. */
const memberLabels = {
  stock_customer_id: { en: 'In stock at', de: 'Lager', tr: 'Depo' },
} as const

export function fieldLabelsIn(language: LabelLanguage): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...labels, ...memberLabels }).map(([name, translations]) => [name, translations[language]]),
  )
}

/** The labels of a field or member in each language, without duplicates. Empty if it has no labels. */
export function labelsOfField({ labels: presented = {} }: Resource, name: string): string[] {
  const translations: Partial<Record<string, Record<LabelLanguage, string>>> = { ...labels, ...memberLabels }
  const declared = Object.values(translations[name] ?? {})
  return [...new Set([...declared, ...(presented[name] ?? [])])]
}

const choiceLabels = {
  hand_over: { en: 'Hand-over', de: 'Übergabe', tr: 'Teslim' },
  return: { en: 'Return', de: 'Rückgabe', tr: 'İade' },
  loan: { en: 'Loan', de: 'Ausleihe', tr: 'Geçici zimmet' },
  statement: { en: 'Statement', de: 'Geräteliste', tr: 'Zimmet listesi' },
  branches: { en: 'Branches', de: 'Standorte', tr: 'Şubeler' },
  clients: { en: 'Clients', de: 'Kunden', tr: 'Müşteriler' },
  headquarters: { en: 'Headquarters', de: 'Hauptsitz', tr: 'Genel merkez' },
  branch: { en: 'Branch', de: 'Niederlassung', tr: 'Şube' },
  warehouse: { en: 'Warehouse', de: 'Lager', tr: 'Depo' },
  client: { en: 'External client', de: 'Externer Kunde', tr: 'Dış müşteri' },
  other: { en: 'Other', de: 'Sonstiges', tr: 'Diğer' },
  laptop: { en: 'Laptop', de: 'Laptop', tr: 'Dizüstü bilgisayar' },
  desktop: { en: 'Desktop', de: 'Desktop', tr: 'Masaüstü bilgisayar' },
  monitor: { en: 'Monitor', de: 'Bildschirm', tr: 'Monitör' },
  phone: { en: 'Phone', de: 'Telefon', tr: 'Telefon' },
  tablet: { en: 'Tablet', de: 'Tablet', tr: 'Tablet' },
  server: { en: 'Server', de: 'Server', tr: 'Sunucu' },
  printer: { en: 'Printer', de: 'Drucker', tr: 'Yazıcı' },
  network: { en: 'Network device', de: 'Netzwerkgerät', tr: 'Ağ cihazı' },
  peripheral: { en: 'Accessory', de: 'Zubehör', tr: 'Aksesuar' },
  vehicle: { en: 'Vehicle', de: 'Fahrzeug', tr: 'Araç' },
  tool: { en: 'Tool', de: 'Werkzeug', tr: 'El aleti' },
  in_use: { en: 'In use', de: 'In Verwendung', tr: 'Kullanımda' },
  spare: { en: 'Spare', de: 'Verfügbar', tr: 'Boşta' },
  reserved: { en: 'Reserved', de: 'Reserviert', tr: 'Rezerve' },
  in_repair: { en: 'In repair', de: 'In Reparatur', tr: 'Serviste' },
  lost: { en: 'Lost', de: 'Verloren', tr: 'Kayıp' },
  retired: { en: 'Retired', de: 'Ausgemustert', tr: 'Kullanım dışı' },
  person: { en: 'Person', de: 'Person', tr: 'Personel' },
  storage: { en: 'Storage location', de: 'Lagerort', tr: 'Depo yeri' },
} as const satisfies Partial<Record<ChoiceName, Record<LabelLanguage, string>>>

/** Other common words for a choice, such as its labels in earlier versions. */
const otherChoiceWords: Partial<Record<ChoiceName, readonly string[]>> = {
  spare: ['Available', 'In stock', 'Auf Lager', 'Depoda'],
  in_use: ['Assigned', 'Zugewiesen', 'Zimmetli'],
  in_repair: ['Repair', 'Tamirde'],
  laptop: ['Notebook', 'Dizüstü'],
  desktop: ['PC', 'Computer', 'Masaüstü'],
  monitor: ['Display', 'Screen'],
  phone: ['Smartphone', 'Mobile phone', 'Handy', 'Cep telefonu'],
  network: ['Network'],
}

export function choiceLabelsIn(language: LabelLanguage): Record<keyof typeof choiceLabels, string> {
  const entries = Object.entries(choiceLabels).map(([name, translations]) => [name, translations[language]])
  return Object.fromEntries(entries) as Record<keyof typeof choiceLabels, string>
}

/** The words that a file may contain for a choice: its label in each language, and other common words. */
export function wordsOfChoice({ choiceLabels: presented = {} }: Resource, choice: string): string[] {
  const declared = isChoiceName(choice) ? Object.values(choiceLabels[choice]) : []
  return [...declared, ...(otherChoiceWords[choice as ChoiceName] ?? []), ...(presented[choice] ?? [])]
}

function isChoiceName(name: string): name is keyof typeof choiceLabels {
  return Object.hasOwn(choiceLabels, name)
}
