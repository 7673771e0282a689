// Ana sayfanın Türkçe metinleri: firmanınki ve kurulumun genel görünümü.

import { plural } from '../plural.ts'
import type { home as english } from './en.ts'

const locale = 'tr-TR'

export const home: typeof english = {
  firstSteps: 'İlk adımlar',
  firstStepsHelp: 'Sırasıyla üç adım. Elinizde liste varsa içe aktarın.',
  done: 'tamamlandı',

  noTenant: 'Henüz firma yok',
  noTenantHelp: 'Her firmanın verileri, kullanıcıları ve API anahtarları ayrıdır. Firmalar birbirini göremez.',
  attention: 'Yapılacaklar',
  nothing: 'Bekleyen iş yok.',
  unreachable: (server) =>
    `${server} sunucusundaki veritabanına ulaşılamıyor; istekler 503 hatası alıyor. Sunucunun veya dosyanın erişilebilir olduğunu kontrol edin. Sonrasında firma otomatik olarak çalışmaya devam eder.`,
  notMigrated:
    'Veritabanı güncellenemedi; istekler 503 hatası alıyor. Aşağıdaki hatayı giderin; güncelleme bir sonraki istekte yeniden denenir.',
  suspended: 'İstekler reddediliyor. Sorun çözülünce firmayı etkinleştirin.',
  trialOver: 'Deneme süresi doldu; istekler reddediliyor. Firmayı etkinleştirin veya silin.',
  trialEnds: 'Deneme süresi yakında doluyor. Kullanıma devam için firmayı etkinleştirin.',
  more: (count) => {
    const sentence = '# firma daha işlem bekliyor; firma listesine bakın.'
    return plural(locale, count, { one: sentence, other: sentence })
  },
}
