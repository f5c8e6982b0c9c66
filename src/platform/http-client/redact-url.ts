/**
 * The URL for logs: without credentials, values of secret parameters, and path segments that look like a key (20 or more
 * mixed letters and digits, dashes and underscores), because the Bank of Korea and nodes of chains expect keys in the path.
 */
export function redactUrl(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  for (const name of new Set(url.searchParams.keys())) {
    if (/key|token|secret|sign|pass|auth/i.test(name)) url.searchParams.set(name, 'redacted')
  }
  url.pathname = url.pathname
    .split('/')
    .map((segment) => (/^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/.test(segment) ? 'redacted' : segment))
    .join('/')
  return url.href
}
