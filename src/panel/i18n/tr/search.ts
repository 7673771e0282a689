// Aramanın ve kullanıcının kayıt seçtiği alanların Türkçe metinleri.

import { plural } from '../plural.ts'

const locale = 'tr-TR'

export const search = {
  title: 'Arama',
  titleEverywhere: 'Tüm firmalarda arama',
  fieldLabel: 'Demirbaş, personel ve şube ara',
  help: 'Bir adın bir bölümünü, demirbaş numarasını, seri numarasını veya e-posta adresini yazın.',
  nothing: 'Sonuç bulunamadı',
  nothingHelp: 'Yazımı kontrol edin veya daha az sözcük yazın.',
  back: 'Tüm sonuçlara dön',
  everywhere: 'Tüm firmalarda ara',
  inactive: 'Pasif',
  next: 'Diğer firmalarda ara',
  all: (count: string) => `Tümünü göster (${count})`,
  limit: (count: string) => `Yalnızca ilk ${count} sonuç listeleniyor. Daraltmak için bir sözcük daha ekleyin.`,
  moreIn: (tenant: string) => `Tüm sonuçları göster: ${tenant}`,
  notSearched: (names: string) => `Şu firmalarda arama yapılamadı: ${names}.`,
  searched: (done: string, all: string) => `${all} firmadan ${done} tanesinde arama yapıldı.`,

  offers: (count: number) => plural(locale, count, { one: '# sonuç', other: '# sonuç' }),
  allFor: (text: string) => `“${text}” için tüm sonuçları göster`,
  everywhereFor: (text: string) => `Tüm firmalarda “${text}” ara`,

  shortcuts: {
    title: 'Klavye kısayolları',
    letters: 'Tek tuşlu kısayolları kullan',
    close: 'Kapat',
    names: {
      search: 'Ara veya bir sayfaya git',
      next: 'Listede sonraki satır',
      previous: 'Önceki satır',
      open: 'Satırı aç',
      select: 'Satırı seç',
      act: 'Seçili satırlar için işlem seç',
      save: 'Formu kaydet',
      close: 'Menüyü veya listeyi kapat',
      list: 'Bu kısayolları göster',
    },
  },

  none: 'Sonuç yok',
  first: (count: string) => `${count} veya daha fazla. Listeyi daraltmak için yazmaya devam edin.`,
  /** Kayıt seçilmediğinde gösterilen iletiler, kayıt türüne göre. */
  choose: {
    records: {
      empty: 'Bir kayıt seçin.',
      unknown: 'Eşleşen kayıt yok. Yazımı kontrol edin veya adın yalnızca bir bölümünü girin.',
      ambiguous: 'Birden fazla kayıt eşleşiyor. Birini seçin.',
    },
    employees: {
      empty: 'Bir personel seçin.',
      unknown: 'Eşleşen personel yok. Yazımı kontrol edin veya adın yalnızca bir bölümünü girin.',
      ambiguous: 'Birden fazla personel eşleşiyor. Birini seçin.',
    },
    customers: {
      empty: 'Bir şube seçin.',
      unknown: 'Eşleşen şube yok. Yazımı kontrol edin veya adın yalnızca bir bölümünü girin.',
      ambiguous: 'Birden fazla şube eşleşiyor. Birini seçin.',
    },
    hardware: {
      empty: 'Bir demirbaş seçin.',
      unknown: 'Eşleşen demirbaş yok. Yazımı kontrol edin veya numaranın yalnızca bir bölümünü girin.',
      ambiguous: 'Birden fazla demirbaş eşleşiyor. Birini seçin.',
    },
  },
}
