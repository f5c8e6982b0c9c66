/** What Scalar leaves unnamed or names wrongly for screen readers, and how each element found is mended. */
const MENDS: readonly (readonly [selector: string, mend: (element: Element) => void])[] = [
  ['button[role="search"], button[class*="sidebar-search"][aria-label]', nameByText],
  [
    '[class*="copy-button"]:not([aria-label]), .code-copy:not([aria-label])',
    (button) => button.setAttribute('aria-label', 'Copy'),
  ],
  // A tab says with the same attribute which one is shown.
  ['button[aria-selected]:not([role="tab"])', markCurrent],
  // Each operation has one, all of the same name.
  ['.response-card[role="region"]', (card) => card.setAttribute('role', 'group')],
  // Its text says more than its label.
  ['.show-more[aria-label]', (button) => button.removeAttribute('aria-label')],
  ['.cm-content:not([aria-label])', (editor) => editor.setAttribute('aria-label', 'Value')],
  ['aside[role="navigation"]', (aside) => aside.removeAttribute('role')],
]

/** Mends what is there and what comes, once per frame at most. */
export function keepNamesMended(root: Element): void {
  let isDue = false
  const mend = () => {
    isDue = false
    for (const [selector, mendOne] of MENDS)
      for (const element of root.querySelectorAll(selector)) mendOne(element)
  }
  const observer = new MutationObserver(() => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(mend)
  })
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['aria-selected', 'role'] })
}

/** Its text has words for screen readers. */
function nameByText(button: Element): void {
  button.removeAttribute('role')
  button.removeAttribute('aria-label')
}

function markCurrent(button: Element): void {
  if (button.getAttribute('aria-selected') === 'true') button.setAttribute('aria-current', 'location')
  else button.removeAttribute('aria-current')
  button.removeAttribute('aria-selected')
}
