// Kayıt sayfalarının ve formlarının Türkçe metinleri.

import type { recordPages as english } from '../en/record-pages.ts'
import { plural } from '../plural.ts'
import { withinDays } from './lists.ts'

const locale = 'tr-TR'

export const recordPages: typeof english = {
  back: 'Geri dön',
  delete: {
    help: 'Kaydın geçmişi saklanır. Silme işlemini Hareketler sayfasından geri alabilirsiniz.',
    changed: 'Bu kaydı az önce başka biri değiştirdi. Silmeden önce kaydın son hâlini kontrol edin.',
    refused: (name) => `${name} henüz silinemez`,
    otherWayOut: 'Önce bu kayıtları silin ya da başka bir kayda bağlayın.',
    wayOut: {
      employees: 'Bu personel buraya bağlı. Önce başka bir şubeye taşıyın veya silin.',
      storage: 'Önce buradaki demirbaşları başka bir yere taşıyın, ardından bu depo yerlerini silin.',
      hardware: 'Bu demirbaşlar hâlâ zimmetli. Önce depoya iade alın, devredin veya silin.',
    },
    groups: {
      storage: (count) => plural(locale, count, { one: '# depo yeri', other: '# depo yeri' }),
    },
  },
  toasts: {
    created: (title) => `${title} eklendi.`,
    deleted: (title) => `${title} silindi.`,
  },
  deleted: (moment, actor) => `${moment} tarihinde ${actor} tarafından silindi.`,
  restore: 'Geri yükle',
  showAll: (count) => `Tümünü göster: ${count}`,
  open: 'Aç',
  saveAndAdd: 'Kaydet ve yenisini ekle',

  sections: {
    what: 'Temel bilgiler',
    identification: 'Kimlik bilgileri',
    purchase: 'Satın alma ve garanti',
    assignment: 'Zimmet',
    person: 'Personel',
    work: 'İş bilgileri',
    period: 'Çalışma dönemi',
    contact: 'İletişim',
    contract: 'Sözleşme',
    notes: 'Notlar',
    more: 'Diğer',
  },

  hints: {
    code: 'Listeler ve etiketler için kısa ad.',
    contract_end: 'Sözleşmenin son günü.',
    employee_no: 'Bu personel için kullandığınız numara.',
    start_date: 'İlk iş günü.',
    end_date: 'Son iş günü.',
    kind: 'Depo yeri, kullanımda olmayan demirbaşların tutulduğu bir oda veya raftır.',
    asset_tag: 'Demirbaşın etiketindeki yazı. Her demirbaş numarası yalnızca bir kez kullanılabilir.',
    warranty_end: 'Garantinin son günü.',
    is_loaner: 'Kalıcı olarak zimmetlenmez, belirli bir süre için verilir.',
    due_back: 'Geçici zimmetin son günü.',
    external_id: 'Başka bir sistemden geliyorsa oradaki kimliği.',
    'employees.email': 'Personeli ayırt eder; içe aktarırken de kullanılır.',
  },

  errors: {
    tooLong: (max) => `En fazla ${max} karakter girin.`,
    tooShort: (min) => `En az ${min} karakter girin.`,
    wholeNumber: (from, to) => `${from}–${to} arasında bir tam sayı girin.`,
    usedBy: (title) => `Bu değer kullanımda: ${title}.`,
    emailUsedBy: (title) => `Bu e-posta adresi zaten kullanılıyor: ${title}.`,
    useAnyway: 'Yine de kaydet',
  },
  asOfNote: (day) => `Kaydı ${day} itibarıyla görüyorsunuz. Burada değişiklik yapılamaz.`,
  asOfFuture: (day) => `${day} gelecekte bir tarih. Kaydın bugünkü hâlini görüyorsunuz.`,
  notThen: (day) => `Bu kayıt ${day} tarihinde yoktu.`,

  where: {
    legend: 'Nerede?',
    inStock: 'Depoda',
    withPerson: 'Personelde',
    choosePerson: 'Demirbaşın kimde olduğunu seçin.',
    needsBranch: 'Her demirbaş bir şubenin deposunda veya bir şubenin personelinin üzerindedir. Önce bir şube ekleyin.',
  },

  conflict: {
    explain: 'Siz düzenlerken bu kaydı başka biri kaydetti. Farklı olan her alan için hangi değerin kalacağını seçin.',
    mine: 'Sizin girdiğiniz',
    theirs: 'Kayıtlı değer',
    savedBy: (name) => `${name} tarafından kaydedildi`,
    edit: 'Düzenlemeye devam et',
    discard: 'Değişikliklerimden vazgeç',
  },
  moreActions: 'Diğer işlemler',
  warranty: {
    months: (count) => `+${count} ay`,
    purchaseFirst: 'Önce satın alma tarihini girin; garanti bu tarihte başlar.',
  },
  pastItems: 'Önceki demirbaşlar',
  until: (day) => `${day} tarihine kadar`,
  editField: (field: string) => `Düzenle: ${field}`,
  addFacts: 'Ekle:',
  copy: (field) => `Kopyala: ${field}`,
  since: (day) => `${day} tarihinden beri`,
  states: { left: 'Ayrıldı', leaves: (day) => `${day} tarihinde ayrılacak`, closed: 'Kapalı' },
  ends: { over: 'sona erdi', today: 'bugün bitiyor', inDays: { one: '# gün kaldı', other: '# gün kaldı' } },
  due: {
    overdue: { one: '# gün gecikti', other: '# gün gecikti' },
    today: 'Bugün iade edilecek',
    inDays: { one: '# gün sonra iade edilecek', other: '# gün sonra iade edilecek' },
  },
  warrantiesEnding: (days) => `Garantisi ${withinDays(days)} bitecek`,
  draft: { restored: 'Daha önce yazdıklarınız geri getirildi, ancak henüz kaydedilmedi.', discard: 'Vazgeç' },
  inactive: {
    suspended: 'Bu firma askıya alındı. Kullanıcıların ve API anahtarlarının erişimi yok.',
    trialOver: 'Bu firmanın deneme süresi doldu. Kullanıcıların ve API anahtarlarının erişimi yok.',
    manage: 'Firmayı yönet',
  },
  was: 'eski değer',
  now: 'yeni değer',
}
