import { createHash } from 'node:crypto'
import { escapeHtml } from '../../core/escape-html.js'
import { PRODUCT } from './page-paths.js'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}button{font:inherit;padding:.5rem 1rem}'

/** Forbids scripts, other origins, and forms that lead elsewhere. */
export const NEWSLETTER_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface NewsletterPage {
  readonly title: string
  readonly text: string
  /** Label of a button that posts to the page's own URL; null for a page without a button. */
  readonly button: string | null
}

export function newsletterPage({ title, text, button }: NewsletterPage): string {
  const form =
    button === null ? '' : `\n<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(`${PRODUCT}: ${title}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>${form}
</body>
</html>
`
}
