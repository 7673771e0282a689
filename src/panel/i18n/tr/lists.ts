// Listelerin Türkçe metinleri: sütunlar, filtreler, görünümler, sayfalar arası gezinme ve dışa aktarma.

import type { lists as english } from '../en/lists.ts'
import { plural } from '../plural.ts'

const locale = 'tr-TR'

/** Bir şeyin, bugün dahil, bu kadar gün içinde olacağını söyler. */
export function withinDays(days: number): string {
  return days === 0 ? 'bugün' : plural(locale, days, { one: '# gün içinde', other: '# gün içinde' })
}

export const lists: typeof english = {
  columns: { employee_name: 'Zimmet sahibi', id: 'ID' },
  inStock: 'Depoda',
  left: 'Ayrıldı',

  views: 'Görünümler',
  moreViews: 'Diğer görünümler',
  all: 'Tümü',
  builtIn: {
    '-9': 'Yakında ayrılacaklar',
    '-8': 'Ayrılanlar',
    '-6': 'Depoda',
    '-5': '14 günden uzun serviste',
    '-4': 'Garantisi bitecekler',
    '-3': 'Geciken iadeler',
    '-2': 'Ayrılanların üzerinde',
    '-1': 'Seri veya demirbaş no eksik',
  },
  saveView: 'Görünümü kaydet',
  viewName: 'Görünümün adı',
  shareView: 'Bu firmadaki herkese göster',
  saveViewHelp: 'Filtreleri, sıralamayı ve sütunları kaydeder. Aynı adlı görünümünüz varsa değiştirilir.',
  viewSaved: (name) => `“${name}” görünümü kaydedildi.`,
  viewNotSaved: 'Görünüm kaydedilmedi, çünkü filtreleri veya sütunları bu listeye uymuyor.',
  nameView: 'Görünüm için bir ad girin.',
  deleteView: 'Görünümü sil',
  viewDeleted: (name) => `“${name}” görünümü silindi.`,

  sortMenu: 'Sırala',
  columnsMenu: 'Sütunlar',
  chooseColumns: 'Gösterilecek sütunlar',
  standardColumns: 'Varsayılan sütunlar',
  apply: 'Uygula',

  exportMenu: 'Dışa aktar',
  exportShown: 'Bu liste, göründüğü gibi',
  exportFinance: 'Bedel ve toplam içeren mali liste',
  exportAll: 'Tüm alanlar, yeniden içe aktarmak için',
  total: 'Toplam',

  more: 'Diğer filtreler',
  asOf: 'Envanter tarihi',
  asOfHelp: 'Envanteri seçilen günün sonundaki hâliyle gösterir.',
  asOfDay: (day) => `${day} itibarıyla`,
  asOfNote: (day) => `Envanteri ${day} itibarıyla görüyorsunuz. Burada değişiklik yapılamaz.`,
  asOfFuture: (day) => `${day} gelecekte bir tarih. Bugünkü envanteri görüyorsunuz.`,
  backToToday: 'Bugüne dön',
  remove: (filter) => `Filtreyi kaldır: ${filter}`,
  clear: 'Filtreleri temizle',
  atLeast: 'En az',
  atMost: 'En çok',
  from: 'Başlangıç',
  to: 'Bitiş',
  empty: 'boş',
  notEmpty: 'dolu',
  invalid: 'Bu filtreler bu listeye uymuyor. Filtreleri kaldırın veya yukarıdan bir görünüm seçin.',

  compared: {
    eq: (field, value) => `${field}: ${value}`,
    in: (field, value) => `${field}: ${value}`,
    ne: (field, value) => `${field}: ${value} hariç`,
    gte: (field, value) => `${field} ≥ ${value}`,
    gt: (field, value) => `${field}: ${value} sonrası`,
    lte: (field, value) => `${field} ≤ ${value}`,
    lt: (field, value) => `${field}: ${value} öncesi`,
    contains: (field, value) => `${field}: “${value}”`,
    null: (field, value) => `${field}: ${value}`,
  },
  names: {
    q: 'Arama',
    employee_id: 'Personel',
    warranty: 'Garanti',
    loan: 'Geçici zimmet',
    employment: 'Çalışma durumu',
    'employee.employment': 'Çalışma durumu',
    'employee.kind': 'Bulunduğu yer',
    'employee.department': 'Departman',
    status_since: 'Durum tarihi',
    created_in: 'Eklendi',
    missing: 'Eksik alan',
    purchase_cost: 'Bedel',
  },
  words: {
    valid: 'devam ediyor',
    expired: 'bitti',
    none: 'bilinmiyor',
    out: 'iade edilmedi',
    overdue: 'gecikti',
    current: 'çalışıyor',
    left: 'ayrıldı',
    storage: 'depo',
    person: 'personel',
  },
  oneChange: 'tek adımda',
  within: (days) => `${withinDays(days)} bitiyor`,
  daysAgo: (days) => plural(locale, days, { one: '# gün önce', other: '# gün önce' }),
  inDays: (days) => plural(locale, days, { one: '# gün sonra', other: '# gün sonra' }),
  dueWithin: (days) => `${withinDays(days)} iade edilecek`,
  today: 'bugün',
  lastDays: (days) => plural(locale, days, { one: 'son # gün', other: 'son # gün' }),
  or: ' veya ',

  foundOf: (found, all) => `${found} / ${all}`,
  range: (from, to, total) => `${from}–${to} / ${total}`,
  onThisPage: (shown) => `Bu sayfada (${shown})`,
  allMatching: (all) => `Tümü (${all})`,
  addUp: 'Tümünü topla',
  rangeOnly: (from, to) => `${from}–${to}`,
  previous: 'Önceki',
  next: 'Sonraki',
  perPage: 'Sayfa başına satır',
}
