// Şube kapatma sayfasının Türkçe metinleri. Sayılar, saydıkları şeyin
// adıyla birlikte verilir (“5 kayıt” gibi); değişkenlere ek getirilmez.

import type { closeBranchTexts as english } from '../en/close-branch.ts'

export const closeBranchTexts: typeof english = {
  link: 'Şubeyi kapat',
  title: (branch) => `Şubeyi kapat: ${branch}`,
  intro:
    'Personel, üzerindeki tüm zimmetlerle birlikte başka bir şubeye geçer; depodaki demirbaşlar o şubenin deposuna taşınır. Hiçbir şey silinmez.',
  alsoMove: (lists) => `Şunlar da taşınır: ${lists}.`,
  insteadOfDeleting: 'Bunun yerine şubeyi kapatabilirsiniz: Personel ve depo başka bir şubeye taşınır, geçmiş korunur.',
  target: 'Hedef şube',
  chooseTarget: 'Aktif bir şube seçin.',
  preview: (target) => `Henüz hiçbir şey değiştirilmedi. Hepsinin taşınacağı şube: ${target}`,
  willMove: {
    people: 'üzerindeki zimmetlerle taşınacak',
    items: 'depodan yeni şubenin deposuna taşınacak',
    others: 'taşınacak',
  },
  people: 'Taşınacak personel',
  items: 'Yeni depoya taşınacak demirbaşlar',
  more: (count) => `ve ${count} kayıt daha`,
  thenInactive:
    'Ardından şube pasif olur. İşten ayrılmış ve üzerinde zimmet bulunmayan personel orada listelenmeye devam eder.',
  empty: 'Taşınacak bir şey yok. Şube pasif olur.',
  confirm: (branch) => `Şubeyi kapat: ${branch}`,
  back: 'Başka bir şube seç',
  changed: 'Ön izlemeden sonra bu şubede değişiklik yapıldı. Güncel durum aşağıda.',
  alreadyClosed: 'Bu şube zaten kapatılmış.',
  done: (branch) => `${branch} kapatıldı.`,
  moved: { people: 'taşındı', items: 'yeni depoya taşındı', others: 'taşındı' },
}
