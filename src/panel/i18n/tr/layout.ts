// Yerleşimin Türkçe metinleri: çubuklar, menüler ve giriş sayfası.

export const layout = {
  home: 'Ana sayfa',
  overview: 'Genel bakış',
  allTenants: 'Tüm firmalar',
  findTenant: 'Firma ara',
  settings: 'Ayarlar',
  general: 'Genel',
  import: 'İçe aktarma',
  lifecycle: 'Firma',
  add: 'Yeni',
  more: 'Diğer',
  profile: 'Profil',
  theme: 'Tema',
  rowHeight: 'Satır yüksekliği',
  rowSizes: { compact: 'Kompakt', comfortable: 'Rahat' },
  rowHeightHint: 'Yalnızca bu tarayıcıda geçerlidir.',
  dismiss: 'Kapat',
  undo: 'Geri al',
  cannotSignIn: 'Giriş yapamıyor musunuz? Sistem yöneticinizden bir parola sıfırlama bağlantısı isteyin.',
  accountMenu: (name: string) => `Hesap: ${name}`,
}
