import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ScrollArea } from './tables/scroll-area.js'

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

/** Code with a button that copies it. `name` says what it is. */
export function CodeBlock({ name, text }: { readonly name: string; readonly text: string }): JSX.Element {
  return (
    <div class="code">
      <ScrollArea label={`Code: ${name}`}>
        <pre>
          <code>{text}</code>
        </pre>
      </ScrollArea>
      <CopyButton text={text} label={`Copy the ${name}`} />
    </div>
  )
}
