// Ana sayfanın Türkçe metinleri: bir firmanın ana sayfası ve tüm kuruluma genel bakış.

import type { home as english } from '../en/home.ts'
import { plural } from '../plural.ts'
import { withinDays } from './lists.ts'

const locale = 'tr-TR'

export const home: typeof english = {
  firstSteps: 'İlk adımlar',
  firstStepsHelp: 'Sırasıyla üç adım. Elinizde liste varsa içe aktarın.',
  done: 'tamamlandı',

  currentPeople: 'Çalışan personel',
  value: 'Satın alma bedeli toplamı',
  byStatus: 'Duruma göre demirbaşlar',
  byType: 'Türe göre demirbaşlar',
  byBranch: (branches) => `${branches} (en çok demirbaş bulunanlar)`,
  allActivity: 'Tüm hareketler',
  changes: (count) => plural(locale, count, { one: '# değişiklik', other: '# değişiklik' }),
  timesIn: (zone) => `Saat dilimi: ${zone}`,

  toDo: 'Yapılacaklar',
  allClear: 'Bekleyen iş yok ✓',
  left: (day) => `${day} tarihinde ayrıldı`,
  leaves: (day) => `${day} tarihinde ayrılacak`,
  leftEarlier: 'ayrıldı',
  collect: 'Demirbaşları iade al',
  moreLeavers: (count) => plural(locale, count, { one: 've # personel daha', other: 've # personel daha' }),
  moreAssets: (count) => plural(locale, count, { one: 've # demirbaş daha', other: 've # demirbaş daha' }),
  toDos: {
    left: (count) => {
      const sentence = '# demirbaş, ayrılan personelin üzerinde'
      return plural(locale, count, { one: sentence, other: sentence })
    },
    leaving: (count, days) => {
      const sentence = `# demirbaş, ${withinDays(days)} ayrılacak personelin üzerinde`
      return plural(locale, count, { one: sentence, other: sentence })
    },
    loans: (count) => {
      const sentence = '# geçici zimmetin iade tarihi geçti'
      return plural(locale, count, { one: sentence, other: sentence })
    },
    due: (count, days) => {
      const sentence = `# geçici zimmet ${withinDays(days)} iade edilecek`
      return plural(locale, count, { one: sentence, other: sentence })
    },
    repairs: (count, days) => {
      const sentence = `# demirbaş ${days} günden uzun süredir serviste`
      return plural(locale, count, { one: sentence, other: sentence })
    },
    warranties: (count, days) => {
      const sentence = `# demirbaşın garantisi ${withinDays(days)} bitiyor`
      return plural(locale, count, { one: sentence, other: sentence })
    },
    contracts: (count, days) => {
      const sentence = `# sözleşme ${withinDays(days)} bitiyor`
      return plural(locale, count, { one: sentence, other: sentence })
    },
    unmarked: (count) => {
      const sentence = '# demirbaşın seri numarası veya demirbaş numarası yok'
      return plural(locale, count, { one: sentence, other: sentence })
    },
  },

  requests: 'İstekler (24 saat)',
  lastActivity: 'Son hareket',
  backupLate: (day) => `Son yedek tarihi: ${day}.`,
  backupMissing: 'Henüz yedek yok.',
  backupFailed: (time) => `Son yedekleme başarısız oldu (${time}).`,
  tenantFacts: {
    historyKept: 'Geçmişin saklanma süresi',
    forEver: 'süresiz',
    days: (count) => plural(locale, count, { one: '# gün', other: '# gün' }),
    byDefault: (time) => `${time} (sistem varsayılanı)`,
  },
  noTenantHelp: 'Her firmanın verileri, kullanıcıları ve API anahtarları ayrıdır. Firmalar birbirini göremez.',
  unreachable: (server) =>
    `${server} sunucusundaki veritabanına ulaşılamıyor; istekler 503 hatası alıyor. Sunucunun veya dosyanın erişilebilir olduğunu kontrol edin. Sonrasında firma otomatik olarak çalışmaya devam eder.`,
  notMigrated:
    'Veritabanı güncellenemedi; istekler 503 hatası alıyor. Aşağıdaki hatayı giderin; güncelleme bir sonraki istekte yeniden denenir.',
  suspended: 'İstekler reddediliyor. Sorun çözülünce firmayı etkinleştirin.',
  trialOver: 'Deneme süresi doldu; istekler reddediliyor. Firmayı etkinleştirin veya silin.',
  trialEnds: 'Deneme süresi yakında doluyor. Kullanıma devam için firmayı etkinleştirin.',
}
