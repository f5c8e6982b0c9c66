import type { ComponentChildren, JSX } from 'preact'

export interface ScrollAreaProps {
  readonly label: string
  /** The heading of a table stays in sight while the page moves. */
  readonly hasStickyHead?: boolean
  readonly children: ComponentChildren
}

/** Content that scrolls sideways on a narrow screen, also by keyboard. */
export function ScrollArea({ label, hasStickyHead = false, children }: ScrollAreaProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach content that scrolls
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark beside that of its panel
    <div class={hasStickyHead ? 'scrolls sticky' : 'scrolls'} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
