/**
 * Scalar's script adds style elements and attributes to the page, which the gateway's content security policy blocks.
 * The policy allows scripts to use constructed style sheets and to set single properties, so these replace them.
 */
export function adoptStyles(): void {
  adoptStyleElements()
  adoptStyleAttributes()
  adoptStylesInMarkup()
}

/** Replaces each style element by a hidden element and a constructed style sheet of the same text. */
function adoptStyleElements(): void {
  const create = document.createElement.bind(document)
  const createElement = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? adopted(create('adopted-style')) : create(name, options)
  document.createElement = createElement as typeof document.createElement // the overloads by name still hold
}

function adopted(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet()
  const apply = () => sheet.replaceSync(element.textContent ?? '')
  new MutationObserver(apply).observe(element, { childList: true, characterData: true, subtree: true })
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  element.hidden = true
  return element
}

function adoptStyleAttributes(): void {
  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style' && this instanceof HTMLElement) this.style.cssText = value
    else setAttribute.call(this, name, value)
  }
}

/** Matches a style attribute within a tag. Markup escapes `<` in text, so text never matches. */
const STYLE_IN_TAG = /(<[a-z][^<>]*?) style="/g

function adoptStylesInMarkup(): void {
  const markup = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
  if (markup?.set === undefined) return
  const { set } = markup
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...markup,
    set(this: Element, text: unknown) {
      set.call(this, String(text ?? '').replaceAll(STYLE_IN_TAG, '$1 data-style="'))
      for (const element of this.querySelectorAll<HTMLElement>('[data-style]'))
        element.style.cssText = element.dataset.style ?? ''
    },
  })
}
