// Demirbaş işlemlerinin ve geçmişteki cümlelerin Türkçe metinleri. Değişkenlere ek getirilmez.

import type { verbTexts as english } from '../en/verbs.ts'
import { plural } from '../plural.ts'

const locale = 'tr-TR'

export const verbTexts: typeof english = {
  names: {
    back_from_repair: 'Servisten teslim al',
    assign: 'Zimmetle',
    return: 'Depoya iade al',
    hand_over: 'Devret',
    lend: 'Geçici zimmetle',
    send_to_repair: 'Servise gönder',
    move: 'Şubeye taşı',
    report_lost: 'Kayıp olarak bildir',
    retire: 'Kullanım dışı bırak',
  },

  done: {
    back_from_repair: (items) => `${items} servisten teslim alındı.`,
    assign: (items, person) => `${items}, ${person} adına zimmetlendi.`,
    return: (items, holder) => `${items} depoya iade alındı: ${holder}.`,
    hand_over: (items, person) => `${items} devredildi. Yeni zimmet sahibi: ${person}.`,
    lend: (items, holder, day = '') => `${items}, ${day} tarihine kadar ${holder} adına geçici zimmetlendi.`,
    send_to_repair: (items) => `${items} servise gönderildi.`,
    move: (items, holder) => `${items} depoya taşındı: ${holder}.`,
    report_lost: (items) => `${items} kayıp olarak bildirildi.`,
    retire: (items) => `${items} kullanım dışı bırakıldı.`,
  },

  inStock: (place) => `Depoda: ${place}`,
  inStockElsewhere: 'Başka bir şubenin deposunda',
  note: 'Not',
  noteHint: 'İsteğe bağlı. Demirbaşın notlarına tarihiyle birlikte eklenir.',
  notesFull: 'Demirbaşın notlarında bunun için yer yok. Notları kısaltın veya bu alanı boş bırakın.',
  weeks: (count) => `${count} hafta`,
  dayOver: 'Bugünü veya daha ileri bir günü seçin.',
  hasLeft: (person) => `${person} işten ayrıldı; zimmet verilemez.`,
  chooseLocation: 'Birden fazla depo yeri var. Birini seçin.',
  sameBranch: 'Aynı şubede kalacaksa boş bırakın. Geçici zimmetli demirbaş, alındığı depoya döner.',
  changedMeanwhile: 'Bu arada başka biri değişiklik yaptı. Aşağıdaki güncel durumu kontrol edip tekrar onaylayın.',
  noneFits: 'Bu işlem bu demirbaşlar için şu anda yapılamaz.',
  nothingLeft: 'Burada yapılacak bir şey kalmadı. Güncel durum:',
  excluded: 'Durumu nedeniyle hariç tutulanlar',
  nothingChosen: 'En az bir demirbaş seçin.',

  giveTo: (person) => `Zimmet ver: ${person}`,
  give: 'Zimmet ver',
  fromStock: 'Depodan',
  searchStock: 'Depoda ara',
  moreInStock: 'Depoda başka demirbaşlar da var. Ad, demirbaş no, seri no veya modele göre arayın.',
  stockEmpty: 'Depoda demirbaş yok.',
  newAssets: 'Yeni demirbaşlar',
  moreAssets: 'Bir tane daha ekle',
  newAsset: (number) => `Yeni demirbaş ${number}`,
  withRecipient: (person) => (person === undefined ? 'Bu personelde' : `Personelde: ${person}`),
  addedToStock: (count) => `${count} depoya eklendi.`,
  holdsNothing: 'Üzerinde zimmetli demirbaş yok.',

  offboard: 'İşten çıkışı kaydet',
  offboardTitle: (person) => `İşten çıkış: ${person}`,
  offboarded: (person, kept) => {
    if (kept === 0) return `${person}: işten çıkış kaydedildi.`
    const sentence = `${person}: işten çıkış kaydedildi, # demirbaş henüz iade edilmedi.`
    return plural(locale, kept, { one: sentence, other: sentence })
  },
  leaving: (person, day, kept) => {
    if (kept === 0) return `${person}, ${day} tarihinde ayrılacak.`
    const sentence = `${person}, ${day} tarihinde ayrılacak; # demirbaş henüz iade edilmedi.`
    return plural(locale, kept, { one: sentence, other: sentence })
  },
  lastDayHint:
    'Bu tarih bugün veya geçmişteyse personel pasif olur. İleri bir tarihse personel aktif kalır ve ayrılacak olarak gösterilir.',
  whatBecomes: 'Demirbaşlar ne olacak?',
  fatesHint: 'Seçtiğiniz işlem, son gün ne olursa olsun bugün yapılır. “Henüz iade edilmedi” hiçbir şeyi değiştirmez.',
  fates: {
    return: 'Depoya iade',
    hand_over: 'Devret',
    report_lost: 'Kayıp',
    keep: 'Henüz iade edilmedi',
  },
  recipient: 'Devralacak personel',
  recipientHint: '“Devret” seçilen demirbaşlar için.',
  stockBranch: 'İade edilecek depo (şube)',
  stockBranchHint: 'Personelin kendi şubesi için boş bırakın. Geçici zimmetli demirbaşlar alındıkları depoya döner.',
  chooseRecipient: 'Devredilen demirbaşları alacak personeli seçin.',
  tagTaken: (tag) => `${tag} bu arada kullanılmış. Sıradaki boş numara yazıldı.`,
  equipment: 'Demirbaşlar',
  joined: (person, count) => `${person} eklendi ve ${count} demirbaş zimmetlendi.`,
  holdsEquipment: (person) => `${person} üzerinde hâlâ zimmetli demirbaş var. Bunların ne olacağını seçin.`,
  addAnother: 'Benzerini ekle',

  repairs: {
    title: 'Servis geçmişi',
    sent: 'Gönderildi',
    back: 'Geri geldi',
    after: { one: '# gün sonra', other: '# gün sonra' },
    since: { one: '# gündür serviste', other: '# gündür serviste' },
    noteHint: 'Arıza, servis firması, kayıt numarası. Demirbaşın sayfasındaki servis geçmişinde görünür.',
  },

  sentences: {
    added: 'Eklendi',
    addedFor: (person) => `Eklendi ve ${person} adına zimmetlendi`,
    addedToStock: (place) => `Depoya eklendi: ${place}`,
    addedPlace: 'Depo yeri eklendi',
    deleted: 'Silindi',
    assigned: (person) => `${person} adına zimmetlendi`,
    handedOver: (from, to) => `Devredildi: ${from} → ${to}`,
    lent: (person, day) => `${person} adına ${day} tarihine kadar geçici zimmetlendi`,
    returned: (place) => `Depoya iade alındı: ${place}`,
    moved: (place) => `Depoya taşındı: ${place}`,
    found: 'Bulundu ve depoya alındı',
    restored: 'Depoya iade alındı',
    sentToRepair: 'Servise gönderildi',
    backFromRepair: 'Servisten teslim alındı',
    lost: 'Kayıp olarak bildirildi',
    lostBy: (person) => `Kayıp olarak bildirildi, son zimmet sahibi: ${person}`,
    retired: 'Kullanım dışı bırakıldı',
    reserved: 'Rezerve edildi',
    inStock: 'Durum “Boşta” olarak değiştirildi',
    inUse: 'Durum “Kullanımda” olarak değiştirildi',
    dueBack: (day) => `Yeni son iade tarihi: ${day}`,
    noDueBack: 'Son iade tarihi kaldırıldı',
    changed: (fields) => `Değiştirildi: ${fields}`,
    left: 'İşten ayrıldı',
    leaves: (day) => `İşten çıkış tarihi: ${day}`,
    activeAgain: 'Yeniden aktif',
    changedBranch: (branch) => `Taşındı: ${branch}`,
    closed: 'Kapatıldı',
    reopened: 'Yeniden açıldı',
    unchanged: 'Değişiklik yapılmadan kaydedildi',
  },
  moreFields: (count) => `${count} alan daha`,
}
