// İçe aktarmanın Türkçe metinleri.

import type { imports as english } from '../en/imports.ts'
import { plural } from '../plural.ts'

const locale = 'tr-TR'

export const imports: typeof english = {
  steps: ['Dosya seç', 'Sütunları eşleştir', 'Soruları yanıtla', 'Kontrol et', 'İçe aktar'],
  link: 'CSV içe aktar',
  intro:
    'İlk satırında sütun başlıkları, sonraki her satırında bir kayıt bulunan bir CSV dosyası yükleyin. Hiçbir şey değiştirilmeden önce, içe aktarmanın ne yapacağını görürsünüz.',
  resource: 'Dosyanın içeriği',
  byTitles: 'Başlıklardan anlaşılsın',
  changeResource: 'Değiştir',
  file: 'CSV dosyası',
  fileHint: (limit) =>
    `Dosyayı buraya sürükleyin veya seçin. En fazla ${limit} MB. Excel veya LibreOffice tablolarını önce CSV olarak kaydedin.`,
  upload: 'Yükle ve devam et',
  recent: 'Son içe aktarmalar',
  author: 'Kullanıcı',
  created: 'Başlangıç',
  rows: 'Satır',
  state: 'Durum',
  faults: {
    no_file: 'Bir dosya seçin.',
    too_large: (limit) =>
      `Dosya ${limit} MB’den büyük. Her birinin ilk satırında sütun başlıkları olacak şekilde birkaç dosyaya bölün.`,
    workbook:
      'Bu bir CSV dosyası değil, Excel çalışma kitabı. Sayfayı “CSV UTF-8” olarak kaydedin ve o dosyayı yükleyin.',
    not_text: 'Bu bir metin dosyası değil. Verileri CSV olarak kaydedin ve o dosyayı yükleyin.',
    invalid_utf8:
      'Dosya UTF-8 olarak işaretlenmiş, ancak geçersiz karakterler içeriyor. “CSV UTF-8” olarak yeniden kaydedin.',
    no_header: 'İlk satır boş. İlk satırda sütun başlıkları bulunmalıdır.',
    open_quote: (row) => `${row}. satırdaki bir tırnak işareti kapatılmamış. Satırı düzeltip tekrar deneyin.`,
    many_columns: (row) => `${row}. satırda 500’den fazla hücre var. Bir dosyada en fazla 500 sütun olabilir.`,
    long_title: (column) => `${column}. sütunun başlığı 200 karakterden uzun. Başlığı kısaltın.`,
    long_cell: (row, column) =>
      `${row}. satır, ${column}. sütundaki hücre 32.000 karakterden uzun. Bir tırnak işareti kapatılmamış olabilir.`,
    many_rows: 'Dosyada 1.000.000’dan fazla satır var. Dosyayı birkaç parçaya bölün.',
    disk: 'Sunucuda dosya yüklemek için yeterli boş disk alanı yok. Sistem yöneticinize haber verin.',
    busy: 'Şu anda çok fazla dosya yükleniyor. Birkaç saniye sonra tekrar deneyin.',
  },

  columnsIntro: (count) =>
    plural(locale, count, {
      one: 'Dosyada # satır var. Her sütunun ne içerdiğini belirtin.',
      other: 'Dosyada # satır var. Her sütunun ne içerdiğini belirtin.',
    }),
  asked: 'Lütfen bu sütunlara bakın',
  recognized: 'Tanınan sütunlar',
  ignored: (count) => plural(locale, count, { one: '# sütun aktarılmayacak', other: '# sütun aktarılmayacak' }),
  doubts: {
    title: (target) => `Başlık “${target}” alanına benziyor. Doğru mu?`,
    part: (target) => `Adın diğer bölümleriyle birlikte “${target}” alanına aktarılır.`,
    cells: (target) => `Değerler “${target}” alanına benziyor. Doğru mu?`,
    unlikely: (target) => `Değerler “${target}” alanına benzemiyor.`,
  },
  moreColumns: 'Diğer sütunlar. Aktarmak istediklerinizi işaretleyin.',
  chooseFields: 'İşaretli sütunlar için alan seç',
  fromProgram: (program) => `Bu, ${program} dışa aktarımına benziyor. Sütunlar buna göre eşleştirildi.`,
  fromSaved: (name) => `Sütunlar, “${name}” adıyla kaydettiğiniz gibi eşleştirildi.`,
  fromLatest: 'Yanıtlar, bu başlıklara sahip bir dosyanın son içe aktarımındaki gibi önerildi.',
  ignoreLatest: 'Bu yanıtlar olmadan devam et',
  ignoreMapping: 'Bu eşleme olmadan devam et',
  forgetMapping: 'Bu eşlemeyi sil',
  forgotten: (name) => `“${name}” eşlemesi silindi.`,
  keepTitle: 'Bu yanıtları eşleme olarak kaydet',
  keepHint: 'Sütun başlıkları aynı olan dosyalarda önerilir.',
  keepName: 'Ad',
  keep: 'Kaydet',
  kept: (name) => `“${name}” eşlemesi kaydedildi.`,
  notKept: 'Eşleme bu adla kaydedilemiyor. En fazla 100 karakterlik başka bir ad seçin.',
  next: 'Devam et',
  column: 'Dosyadaki sütun',
  samples: 'İlk değerler',
  target: 'Aktarılacağı alan',
  skip: 'Aktarılmasın',
  untitled: (number) => `${number}. sütun`,
  id: 'ID',
  match: 'Mevcut kayıtları bulmak için kullanılacak alan',
  matchHint: 'Mevcut bir kayıtla eşleşen satır o kaydı günceller. Diğer her satır yeni bir kayıt oluşturur.',
  emptyCells: 'Boş hücre, alanı temizler. Sütunu olmayan alanlar değerlerini korur.',
  check: 'Dosyayı kontrol et',
  assignment: {
    twice: (target) => `İki sütun “${target}” alanına aktarılıyor. Biri için “Aktarılmasın” seçeneğini seçin.`,
    missing_match: (target) =>
      `Mevcut kayıtlar “${target}” alanıyla bulunacak, ancak bu alana aktarılan bir sütun yok.`,
    required: (target) => `“${target}” zorunludur, ancak bu alana aktarılan bir sütun yok.`,
    unused_id:
      'Bir sütun “ID” alanına aktarılıyor. Mevcut kayıtların “ID” ile bulunmasını seçin veya sütunu aktarmayın.',
    invalid_value: (target: string) => `Tüm satırlar için girilen değer “${target}” alanına uymuyor.`,
    nothing: 'En az bir sütunun hangi alana aktarılacağını seçin.',
  },

  valuesIntro: 'Dosyanın yanıtlamadığı birkaç soru var.',
  unknownWords: (column) => `“${column}” sütunundaki tanınmayan sözcükler`,
  rowCount: (count) => plural(locale, count, { one: '# satır', other: '# satır' }),
  word: 'Dosyada',
  means: (field) => `Anlamı (${field})`,
  undecided: 'Bu satırlar aktarılmasın',
  leaveEmpty: 'Alanı boş bırak',
  notFound: (column) => `“${column}” sütununda bulunamayan değerler`,
  notFoundHelp: 'Her değerin ne anlama geldiğini seçin. Seçim yapmadığınız değerlerin satırları aktarılmaz.',
  notFoundMany: (list, examples) =>
    `Birçok değer “${list}” altında bulunamadı, örneğin ${examples}. Bu satırlar aktarılmaz. Önce o listeyi aktarmanız iyi olur:`,
  newTab: 'yeni sekmede',
  similar: (titles) => `Benzer: ${titles}`,
  notNamed: 'Aynı değerlere sahip başka kayıtlar olduğu için dosya bu kaydı gösteremez. Başka bir kayıt seçin.',
  forAllRows: 'Dosyada olmayanlar',
  forAllRowsHelp: 'Yeni kayıtlar bu değerleri alır. Mevcut kayıtlar kendi değerlerini korur.',
  noHolder: 'Kimseye zimmetli değil: aşağıdaki depoya',
  stockFor: 'Kimseye zimmetli olmayan demirbaşlar bu depoya girer.',
  stockHint: (count) =>
    plural(locale, count, {
      one: '# satırda kimsenin adı yok. Demirbaş bu depoya girer; depo seçilmezse satır aktarılmaz.',
      other: '# satırda kimsenin adı yok. Demirbaşlar bu depoya girer; depo seçilmezse satırlar aktarılmaz.',
    }),
  emptyHint: (count) =>
    plural(locale, count, {
      one: '# satırda bu hücre boş ve bu değeri alır; değer seçilmezse satır aktarılmaz.',
      other: '# satırda bu hücre boş ve bu değeri alır; değer seçilmezse satırlar aktarılmaz.',
    }),
  usual: (choice) => `${choice} (varsayılan)`,
  assignTags: (tag) => `Demirbaş numarası olmayan her yeni demirbaşa sıradaki numara verilsin (${tag} ve sonrası)`,

  states: {
    draft: 'Tamamlanmadı',
    checking: 'Kontrol ediliyor',
    checked: 'Kontrol edildi',
    running: 'Çalışıyor',
    done: 'Tamamlandı',
    failed: 'Başarısız',
    cancelled: 'İptal edildi',
    undone: 'Geri alındı',
  },
  checking: 'Dosya kontrol ediliyor. Henüz hiçbir şey değişmedi.',
  checkingAgain: 'Satırlar bir kez daha kontrol edilip ardından içe aktarılacak.',
  running: 'Satırlar içe aktarılıyor. Bu sayfadan ayrılsanız da işlem devam eder.',
  progress: (done, all) => `${done} / ${all} satır`,
  reload: 'Yenile',

  ready: 'Tüm satırlar içe aktarılabilir.',
  nothingToDo: 'Değiştirilecek bir şey yok: Her satır kendi kaydıyla aynı.',
  partly: 'Bazı satırlarda hata var; bu satırlar içe aktarılamıyor.',
  none: 'Hiçbir satır içe aktarılamıyor.',
  empty: 'Dosyada sütun başlıklarından başka satır yok.',
  expired: 'Dosya, kontrolün üzerinden 24 saatten fazla geçtiği için silindi. İçe aktarmak için yeniden yükleyin.',
  done: 'İçe aktarma tamamlandı.',
  failed: 'İçe aktarma aşağıdaki hatalar nedeniyle başarısız oldu. Yaptığı değişiklikler geri alındı.',
  failedKept: 'İçe aktarma başarısız oldu. Sayılar, geri alınamayan kayıtları gösterir.',
  cancelled: 'İçe aktarma iptal edildi. O ana kadar aktarılan satırlar korundu.',
  undone: 'İçe aktarma geri alındı.',
  counts: { created: 'yeni', updated: 'değişen', unchanged: 'aynı kalan', invalid: 'hatalı' },

  preview: 'İlk satırlar',
  amounts: (column) => `“${column}” sütunundaki tutarlar şöyle okunuyor:`,
  inRow: (row) => `${row}. satır`,
  outcomes: { created: 'Yeni', updated: 'Değişecek', unchanged: 'Aynı', invalid: 'Hata' },

  assumptions: 'Dosya nasıl okundu',
  assumed: {
    encoding: (name) => `Metnin kodlaması: ${name}.`,
    delimiter: (name) => `Sütunlar ${name} ayrılıyor.`,
    ignored_columns: (columns) => `Tanınmayan ve aktarılmayan sütunlar: ${columns}.`,
    odd_characters: (columns) =>
      `Gösterilemeyen karakterler veya Ã¼ gibi yanlış okunmuş harfler içeren sütunlar (dosya bozulmuş olabilir): ${columns}.`,
    no_match_column: (target) =>
      `“${target}” alanına aktarılan bir sütun yok; bu yüzden her satır yeni bir kayıt oluşturur.`,
    day_first: (column) => `“${column}” sütununda eğik çizgili veya tireli tarihler günle başlıyor.`,
    month_first: (column) => `“${column}” sütununda eğik çizgili veya tireli tarihler ayla başlıyor.`,
    unclear_dates: (column) =>
      `“${column}” sütununda eğik çizgili veya tireli tarihlerin günle mi ayla mı başladığı belli değil. Tarihleri 2026-12-31 veya 31.12.2026 biçiminde yazın.`,
    times: (column) => `“${column}” sütununda saatler de var. Yalnızca tarih kaydedilir.`,
    missing_dates: (column, date) => `“${column}” sütununda ${date} gibi bir tarih, tarih olmadığı anlamına gelir.`,
    looked_up_by: (column, field) => `“${column}” sütunundaki kayıtlar şu alana göre bulunuyor: ${field}.`,
    own_export: () =>
      'Harici kimliği boş veya yeni olan satırlar, Tenantdesk’ten dışa aktarılan dosyalarda olduğu gibi, ID’si ve oluşturma tarihi aynı olan bir kayıt varsa onu değiştirir.',
    existing_values: (column, count) =>
      `“${column}” sütununda mevcut bir kayıtta da bulunan bir değere sahip yeni kayıt sayısı: ${count}.`,
    damaged_codes: (columns) =>
      `Bir tablo programı kodları 1,23E+11 gibi sayılara çevirmiş; son haneler kaybolmuş: ${columns}.`,
    header_row: (row) => `Sütun başlıkları ${row}. satırda. Üstündeki satırlar aktarılmıyor.`,
    total_row: (row) => `${row}. satır yalnızca toplamları içerdiği için aktarılmıyor.`,
    kept_values: (column, count) =>
      `“${column}” sütununda bir tablo programının bozduğu hücre sayısı: ${count}. Kayıtların şimdiki değerleri korunur.`,
    blank_is_no: (column) => `“${column}” sütununda boş hücre Hayır demektir.`,
    major_units: (column) => `“${column}” sütunundaki tutarlar ana para birimindedir: 1,50, bir buçuk demektir.`,
    minor_units: (column) =>
      `“${column}” sütunundaki tutarlar kuruş veya para biriminin en küçük birimi cinsindendir: 150, 1,50 demektir.`,
  },
  delimiters: { comma: 'virgülle', semicolon: 'noktalı virgülle', tab: 'sekmeyle' },

  errors: 'Hatalar',
  inRows: (count, first) => plural(locale, count, { one: `${first}. satır`, other: `# satır, ilki ${first}. satır` }),
  failedRows: 'Hatalı satırları indir',
  failedRowsKept: (limit) => `Hatalı satırlardan yalnızca ilk ${limit} tanesi saklanır.`,
  failedRowsHelp: 'Bu satırları düzeltin ve dosyayı yeni bir içe aktarma olarak yükleyin.',
  codes: {
    required: 'Değer eksik.',
    not_in_list: 'Bu değer bilinmiyor.',
    duplicate: 'Aynı değer başka bir kayıtta veya satırda var.',
    ambiguous: 'Bu değer birden fazla kayıtta var.',
    too_many_cells: 'Satırdaki hücre sayısı sütun sayısından fazla.',
    invalid_email: 'Bu geçerli bir e-posta adresi değil.',
    invalid_bool: 'Evet veya Hayır yazın.',
    invalid_int: 'İzin verilen aralıkta bir tam sayı veya nasıl okunacağı belli bir tutar yazın.',
    wrong_currency: 'Tutar başka bir para biriminde. Önce çevirin.',
    invalid_date: '31.12.2026 veya 2026-12-31 gibi geçerli bir tarih yazın.',
  },
  lookups: {
    not_in_list: (word, field, list) => `“${word}”, “${list}” altında bulunamadı (${field}).`,
    ambiguous: (word, field, list) => `“${word}”, “${list}” altında birden fazla kez bulundu (${field}).`,
  },
  noCountry: 'Bu ada veya iki harfli koda sahip bir ülke yok.',
  knownWords: (word, choices) => `“${word}” bilinmiyor. Seçenekler: ${choices}.`,
  answerAgain: 'Bilinmeyen değerlerin ne anlama geldiğini seçin veya eksik olanı ekleyip dosyayı yeniden kontrol edin:',

  run: (count) => plural(locale, count, { one: '# satırı içe aktar', other: '# satırı içe aktar' }),
  runValid: (count) =>
    plural(locale, count, { one: '# hatasız satırı içe aktar', other: '# hatasız satırı içe aktar' }),
  changeColumns: 'Sütunları değiştir',
  discard: 'Vazgeç',
  cancelRun: 'İçe aktarmayı iptal et',
  cancelRunHelp: 'Aktarılmış satırlar korunur.',
  newRecords: 'Yeni kayıtları göster',
  another: 'Başka bir dosya içe aktar',
  changes: 'Değişiklikleri görüntüle',
}
