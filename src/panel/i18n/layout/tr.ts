// Yerleşimin Türkçe metinleri: çubuklar, menüler ve giriş öncesi sayfa.

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
  account: 'Hesap',
  profile: 'Profil',
  language: 'Dil',
  theme: 'Tema',
  dismiss: 'Kapat',
  undo: 'Geri al',
  docs: 'API belgeleri',
  cannotSignIn: 'Giriş yapamıyor musunuz? Yöneticinizden yeni bir parola bağlantısı isteyin.',
  chooseAccount: (name: string) => `Hesap: ${name}`,
}
