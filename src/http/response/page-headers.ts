/** Returns the security headers of HTML pages: a page may load resources only from this server, and may not use inline
 *  scripts or styles. `canSubmitForms`: whether the page may submit forms (to this server). */
export function pageHeaders(canSubmitForms: boolean): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      `form-action ${canSubmitForms ? "'self'" : "'none'"}`,
      "frame-ancestors 'none'",
    ].join('; '),
    // With no-referrer, a browser submits forms with the origin `null`, so this site could not recognize its own forms.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}
