// Arama ve kayıt seçilen alanların Türkçe metinleri.

export const search = {
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
