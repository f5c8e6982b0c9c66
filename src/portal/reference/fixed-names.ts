/** Elements that Scalar leaves unnamed, names wrongly for screen readers or keeps from the keyboard, and the fix of each. */
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
  [
    '.cm-content:not([aria-label]), .code-input-lite__editor:not([aria-label])',
    (editor) => editor.setAttribute('aria-label', 'Value'),
  ],
  // A block that scrolls must be reachable by keyboard.
  ['code.custom-scroll:not([tabindex])', (block) => block.setAttribute('tabindex', '0')],
  // A combobox must say whether its list is open.
  ['[role="combobox"]:not([aria-expanded])', (box) => box.setAttribute('aria-expanded', 'false')],
  // On phones this row opens the list of operations. The page has a header.
  ['.t-doc__header:not([role])', nameNavigation],
  ['.t-doc__header > header:not([role])', (header) => header.setAttribute('role', 'group')],
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

function nameNavigation(row: Element): void {
  row.setAttribute('role', 'navigation')
  row.setAttribute('aria-label', 'Operations')
}

function markCurrent(button: Element): void {
  if (button.getAttribute('aria-selected') === 'true') button.setAttribute('aria-current', 'location')
  else button.removeAttribute('aria-current')
  button.removeAttribute('aria-selected')
}
