/** Elements that Scalar leaves unnamed or names wrongly for screen readers, and the fix of each. */
const FIXES: readonly (readonly [selector: string, fix: (element: Element) => void])[] = [
  ['button[role="search"], button[class*="sidebar-search"][aria-label]', nameByText],
  [
    '[class*="copy-button"]:not([aria-label]), .code-copy:not([aria-label])',
    (button) => button.setAttribute('aria-label', 'Copy'),
  ],
  // Only tabs may have aria-selected.
  ['button[aria-selected]:not([role="tab"])', markCurrent],
  // Regions need distinct names, and the cards of all operations have the same one.
  ['.response-card[role="region"]', (card) => card.setAttribute('role', 'group')],
  // The text is more precise than the label.
  ['.show-more[aria-label]', (button) => button.removeAttribute('aria-label')],
  ['.cm-content:not([aria-label])', (editor) => editor.setAttribute('aria-label', 'Value')],
  // A combobox must say whether its list is open.
  ['[role="combobox"]:not([aria-expanded])', (box) => box.setAttribute('aria-expanded', 'false')],
  ['aside[role="navigation"]', (aside) => aside.removeAttribute('role')],
]

/** Fixes the elements of the page and those added later, at most once per frame. */
export function keepNamesFixed(root: Element): void {
  let isDue = false
  const fixAll = () => {
    isDue = false
    for (const [selector, fix] of FIXES) for (const element of root.querySelectorAll(selector)) fix(element)
  }
  const observer = new MutationObserver(() => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(fixAll)
  })
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['aria-selected', 'role'] })
}

/** The button's text is already meant for screen readers. */
function nameByText(button: Element): void {
  button.removeAttribute('role')
  button.removeAttribute('aria-label')
}

function markCurrent(button: Element): void {
  if (button.getAttribute('aria-selected') === 'true') button.setAttribute('aria-current', 'location')
  else button.removeAttribute('aria-current')
  button.removeAttribute('aria-selected')
}
