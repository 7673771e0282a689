// Kayıt sayfalarının ve formlarının Türkçe metinleri.

import type { recordPages as english } from './en.ts'

export const recordPages: typeof english = {
  kept: {
    signIn: 'Oturumunuzun süresi doldu. Devam etmek için giriş yapın; girdiğiniz bilgiler saklandı.',
    reopen: 'Formu girdiğiniz bilgilerle yeniden aç',
    filledIn: 'Giriş yapmadan önce yazdıklarınız aşağıda duruyor, ancak henüz kaydedilmedi.',
  },
  back: 'Geri dön',
  delete: {
    help: 'Kaydın geçmişi saklanır. Silme işlemini Hareketler sayfasından geri alabilirsiniz.',
    changed: 'Bu kaydı az önce başka biri değiştirdi. Silinmesi gerekip gerekmediğini kontrol edin.',
    refused: (name) => `${name} henüz silinemez`,
    wayOut: {
      employees: 'Bu personel buraya bağlı. Önce başka bir yere taşıyın veya silin.',
      hardware: 'Bu demirbaşlar burada zimmetli. Önce iade alın, devredin veya silin.',
    },
  },
  deleted: (moment, actor) => `${moment} tarihinde ${actor} tarafından silindi.`,
  restore: 'Geri yükle',
  showAll: (count) => `Tümünü göster: ${count}`,
}
