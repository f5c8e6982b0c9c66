import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** Copies a text to the clipboard and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [copied, setCopied] = useState<string | null>(null)
  return (
    <button
      type="button"
      class="plain small"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {copied === text ? 'Copied' : label}
    </button>
  )
}
