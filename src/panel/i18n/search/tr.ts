// Arama ve kayıt seçilen alanların Türkçe metinleri.

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

  button: 'Ara',
  none: 'Sonuç yok',
  first: (count: string) => `${count} veya daha fazla. Listeyi daraltmak için yazmaya devam edin.`,
  /** Why a form chose no record. */
  choose: {
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
