// Kayıt türleriyle ilgili Türkçe metinler. Sayıdan sonra ad çoğul eki almaz.

import { plural } from '../plural.ts'
import type { ResourceTexts } from '../resource-texts.ts'

const locale = 'tr-TR'

const branches: ResourceTexts = {
  one: 'şube',
  many: 'Şubeler',
  new: 'Yeni şube',
  add: 'Şube ekle',
  delete: 'Şubeyi sil',
  search: 'Şube ara',
  all: 'Tüm şubeler',
  empty: 'Henüz şube yok',
  emptyHelp: 'Yönettiğiniz şirketleri, şubeleri veya lokasyonları ekleyin.',
  noMatch: 'Eşleşen şube yok.',
  import: 'Şubeleri içe aktar',
  importColumns: 'Şubeleri içe aktar: sütunları eşleştir',
  assignments: '',
  count: (count) => plural(locale, count, { one: '# şube', other: '# şube' }),
}

const people: ResourceTexts = {
  one: 'personel',
  many: 'Personel',
  new: 'Yeni personel',
  add: 'Personel ekle',
  delete: 'Personeli sil',
  search: 'Personel ara',
  all: 'Tüm personel',
  empty: 'Henüz personel yok',
  emptyHelp: 'Zimmet verebilmek için personel ekleyin.',
  noMatch: 'Eşleşen personel yok.',
  import: 'Personeli içe aktar',
  importColumns: 'Personeli içe aktar: sütunları eşleştir',
  assignments: 'Şube geçmişi',
  count: (count) => plural(locale, count, { one: '# personel', other: '# personel' }),
}

const assets: ResourceTexts = {
  one: 'demirbaş',
  many: 'Demirbaşlar',
  new: 'Yeni demirbaş',
  add: 'Demirbaş ekle',
  delete: 'Demirbaşı sil',
  search: 'Demirbaş ara',
  all: 'Tüm demirbaşlar',
  empty: 'Henüz demirbaş yok',
  emptyHelp: 'İlk bilgisayarınızı, telefonunuzu veya monitörünüzü ekleyin ya da tablodan içe aktarın.',
  noMatch: 'Eşleşen demirbaş yok.',
  import: 'Demirbaşları içe aktar',
  importColumns: 'Demirbaşları içe aktar: sütunları eşleştir',
  assignments: 'Zimmet geçmişi',
  count: (count) => plural(locale, count, { one: '# demirbaş', other: '# demirbaş' }),
}

export const resourceTexts = { customers: branches, employees: people, hardware: assets }

export const recordTexts: ResourceTexts = {
  one: 'kayıt',
  many: 'Kayıtlar',
  new: 'Yeni kayıt',
  add: 'Kayıt ekle',
  delete: 'Kaydı sil',
  search: 'Kayıt ara',
  all: 'Tüm kayıtlar',
  empty: 'Henüz kayıt yok',
  emptyHelp: '',
  noMatch: 'Eşleşen kayıt yok.',
  import: 'Kayıtları içe aktar',
  importColumns: 'Kayıtları içe aktar: sütunları eşleştir',
  assignments: 'Zimmet geçmişi',
  count: (count) => plural(locale, count, { one: '# kayıt', other: '# kayıt' }),
}
