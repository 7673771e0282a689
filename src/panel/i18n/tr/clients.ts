// Şubelerine müşteri diyen firmalar için değişen Türkçe metinler.

import type { Texts } from '../index.ts'
import { plural } from '../plural.ts'
import type { TextChanges } from '../replace-texts.ts'
import type { ResourceTexts } from '../resource-texts.ts'

const locale = 'tr-TR'

const customers: ResourceTexts = {
  one: 'müşteri',
  many: 'Müşteriler',
  new: 'Yeni müşteri',
  add: 'Müşteri ekle',
  delete: 'Müşteriyi sil',
  search: 'Müşteri ara',
  all: 'Tüm müşteriler',
  empty: 'Henüz müşteri yok',
  emptyHelp: 'Hizmet verdiğiniz şirketleri ekleyin.',
  noMatch: 'Eşleşen müşteri yok.',
  import: 'Müşterileri içe aktar',
  importColumns: 'Müşterileri içe aktar: sütunları eşleştir',
  assignments: '',
  count: (count) => plural(locale, count, { one: '# müşteri', other: '# müşteri' }),
}

export const clients: TextChanges<Texts> = {
  fields: { customer_id: 'Müşteri', customers_called: 'Müşteriler için kullanılan ad' },
  bulkEdits: { tasks: { move: 'Müşteriye taşı' } },
  closeBranch: {
    insteadOfDeleting:
      'Bunun yerine müşteriyi kapatabilirsiniz: Personel ve depo başka bir müşteriye taşınır, geçmiş korunur.',
    link: 'Müşteriyi kapat',
    title: (branch) => `Müşteriyi kapat: ${branch}`,
    intro:
      'Personel, üzerindeki tüm zimmetlerle birlikte başka bir müşteriye geçer; depodaki demirbaşlar o müşterinin deposuna taşınır. Hiçbir şey silinmez.',
    target: 'Hedef müşteri',
    chooseTarget: 'Aktif bir müşteri seçin.',
    preview: (target) => `Henüz hiçbir şey değiştirilmedi. Hepsinin taşınacağı müşteri: ${target}`,
    willMove: { items: 'depodan yeni müşterinin deposuna taşınacak' },
    thenInactive:
      'Ardından müşteri pasif olur. İşten ayrılmış ve üzerinde zimmet bulunmayan personel orada listelenmeye devam eder.',
    empty: 'Taşınacak bir şey yok. Müşteri pasif olur.',
    confirm: (branch) => `Müşteriyi kapat: ${branch}`,
    back: 'Başka bir müşteri seç',
    changed: 'Ön izlemeden sonra bu müşteride değişiklik yapıldı. Güncel durum aşağıda.',
    alreadyClosed: 'Bu müşteri zaten kapatılmış.',
  },
  handOver: { site: 'Müşteri', person: { branch: 'Müşteri' } },
  recordPages: {
    where: {
      needsBranch:
        'Her demirbaş bir müşterinin deposunda veya bir müşterinin personelinin üzerindedir. Önce bir müşteri ekleyin.',
    },
    delete: { wayOut: { employees: 'Bu personel buraya bağlı. Önce başka bir müşteriye taşıyın veya silin.' } },
  },
  search: {
    fieldLabel: 'Demirbaş, personel ve müşteri ara',
    choose: {
      customers: {
        empty: 'Bir müşteri seçin.',
        unknown: 'Eşleşen müşteri yok. Yazımı kontrol edin veya adın yalnızca bir bölümünü girin.',
        ambiguous: 'Birden fazla müşteri eşleşiyor. Birini seçin.',
      },
    },
  },
  verbs: {
    names: { move: 'Müşteriye taşı' },
    inStockElsewhere: 'Başka bir müşterinin deposunda',
    sameBranch: 'Aynı müşteride kalacaksa boş bırakın. Geçici zimmetli demirbaş, alındığı depoya döner.',
    stockBranch: 'İade edilecek depo (müşteri)',
    stockBranchHint:
      'Personelin kendi müşterisi için boş bırakın. Geçici zimmetli demirbaşlar alındıkları depoya döner.',
  },
  choices: { customers: customers.many },
  resources: { customers, employees: { assignments: 'Müşteri geçmişi' } },
}
