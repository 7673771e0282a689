// Birçok kaydın birden düzenlenmesiyle ilgili Türkçe metinler. `count`, saydığı şeyin adını da içerir: “20 demirbaş”.

import type { bulkEdits as english } from '../en/bulk-edits.ts'
import { plural } from '../plural.ts'

const locale = 'tr-TR'

export const bulkEdits: typeof english = {
  tasks: {
    edit: 'Alanları düzenle',
    move: 'Şubeye taşı',
    export: 'Dışa aktar',
    delete: 'Sil',
  },
  title: (task, count) => `${task}: ${count}`,
  button: (task, count) => `${task} (${count})`,

  select: (title) => `Seç: ${title}`,
  selectPage: 'Bu sayfadakilerin tümünü seç',
  selectAll: (count) => (count ? `Eşleşenlerin tümü: ${count}` : 'Eşleşenlerin tümü'),
  selected: 'seçildi',
  clear: 'Seçimi kaldır',
  task: 'İşlem',
  moreTasks: 'Diğer',
  go: 'Devam et',
  nothingSelected: 'Hiçbir şey seçilmedi. Değiştirmek istediğiniz satırları seçin.',
  tooMany: (limit) => `Bir seferde en fazla ${limit} kayıt değiştirilebilir. Listeyi filtreyle daraltın.`,

  chooseFields: 'Değiştirilecek alanları işaretleyin. İşaretlenip boş bırakılan alan temizlenir.',
  change: (field) => `Değiştir: ${field}`,
  noFields: 'En az bir alan işaretleyin.',
  toPreview: 'Ön izleme',

  preview: 'Henüz hiçbir şey değiştirilmedi. Yapılacaklar:',
  counts: { changed: 'değişecek', unchanged: 'değişmeyecek', refused: 'değiştirilemiyor' },
  results: { changed: 'değiştirildi', unchanged: 'aynı kaldı', refused: 'değiştirilemedi' },
  willChange: 'Değişecek kayıtlar',
  willDelete: 'Silinecek kayıtlar',
  deleted: { before: 'silinecek', after: 'silindi', kept: 'silinemiyor', left: 'silinemedi' },
  more: (count) => plural(locale, count, { one: 've # kayıt daha', other: 've # kayıt daha' }),
  cannotChange: 'Değiştirilemeyen kayıtlar',
  reasons: {
    gone: 'Bu arada silindi.',
    changed_since: 'Bu ön izleme açıldıktan sonra değiştirildi.',
    unfit: 'Bu işlem kaydın durumuna uygun değil.',
    in_use: 'Başka kayıtlar hâlâ bu kayda bağlı. Önce onları taşıyın veya silin.',
    holds_items: 'Bu personelin üzerinde hâlâ zimmet var. Önce depoya iade alın veya devredin.',
    left: 'Demirbaşı alacak personel işten ayrılmış.',
  },
  nothingToDo: 'Değiştirilecek bir şey yok.',
  newStock: (branch) => `Depo · ${branch}`,
  back: 'Listeye dön',

  checking: 'Kayıtlar kontrol ediliyor. Henüz hiçbir şey değiştirilmedi.',
  running: 'Kayıtlar değiştiriliyor. Sayfadan ayrılsanız da işlem sürer.',
  progress: (done, all) => `${done} / ${all}`,
  stop: 'Durdur',
  stopHelp: 'O ana kadar değiştirilenler kalır ve geri alınabilir.',
  done: 'İşlem tamamlandı.',
  cancelled: 'Durduruldu. O ana kadar değiştirilenler kaldı.',
  failed: 'Bir hata nedeniyle durdu. O ana kadar değiştirilenler kaldı.',
  undone: 'Bu değişiklikler geri alındı.',
  changes: 'Değişiklikleri göster veya geri al',
}
