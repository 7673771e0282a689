// Güvenlik kayıtlarındaki filtrelerin Türkçe metinleri.

import type { securityLog as english } from '../en/security-log.ts'

export const securityLog: typeof english = {
  all: 'Tüm olaylar',
  failures: 'Başarısız denemeler',
  user: 'Kullanıcı',
  userHint: 'E-posta adresi',
  tenant: 'Firma',
  tenantHint: 'Ad',
  from: 'Başlangıç',
  to: 'Bitiş',
  search: 'IP, cihaz, ayrıntı',
  device: 'Cihaz',
  onlyUser: 'Yalnızca tek bir kullanıcıyla ilgili olaylar gösteriliyor.',
  empty: 'Eşleşen olay yok.',
}
