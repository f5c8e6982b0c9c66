import type { ComponentChildren, JSX } from 'preact'

export interface ScrollAreaProps {
  readonly label: string
  readonly children: ComponentChildren
}

/** Content that scrolls sideways on a narrow screen, also by keyboard. */
export function ScrollArea({ label, children }: ScrollAreaProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach content that scrolls
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark beside that of its panel
    <div class="scrolls" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
