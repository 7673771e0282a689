// Kayıt sayfalarının ve formlarının Türkçe metinleri.

import type { recordPages as english } from './en.ts'

export const recordPages: typeof english = {
  kept: {
    signIn: 'Oturumunuzun süresi doldu. Devam etmek için giriş yapın; girdiğiniz bilgiler saklandı.',
    reopen: 'Formu girdiğiniz bilgilerle yeniden aç',
    filledIn: 'Giriş yapmadan önce yazdıklarınız aşağıda duruyor, ancak henüz kaydedilmedi.',
  },
}
