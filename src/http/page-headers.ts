/** What a page may do: use what this server gives, and nothing else; no script or style inside the page. `forms`: whether it
 *  may send forms, to this server. */
export function pageHeaders(forms: boolean): Record<string, string> {
  return {
    'content-security-policy': [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
      ...["base-uri 'none'", `form-action ${forms ? "'self'" : "'none'"}`, "frame-ancestors 'none'"],
    ].join('; '),
    // with no-referrer a browser gives a form the origin `null`, by which it cannot be told from one of another site
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}
