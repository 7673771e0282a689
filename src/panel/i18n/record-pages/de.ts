// Deutsche Texte der Seiten und Formulare von Datensätzen.

import type { recordPages as english } from './en.ts'

export const recordPages: typeof english = {
  kept: {
    signIn: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren. Ihre Eingaben bleiben erhalten.',
    reopen: 'Formular mit Ihren Eingaben erneut öffnen',
    filledIn: 'Ihre Eingaben von vor der Anmeldung sind unten eingetragen, aber noch nicht gespeichert.',
  },
}
