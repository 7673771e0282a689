/** The security headers of HTML pages: a page may only load resources of this server, and no inline scripts or styles.
 *  `forms`: whether the page may submit forms (to this server). */
export function pageHeaders(forms: boolean): Record<string, string> {
  return {
    'content-security-policy': [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
      ...["base-uri 'none'", `form-action ${forms ? "'self'" : "'none'"}`, "frame-ancestors 'none'"],
    ].join('; '),
    // with no-referrer a browser submits forms with the origin `null`, so forms of this site could not be recognized
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}
