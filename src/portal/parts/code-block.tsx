import type { JSX } from 'preact'
import { CopyButton } from './copy-button.js'
import { ScrollArea } from './scroll-area.js'

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
