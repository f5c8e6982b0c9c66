/**
 * Scalar's script puts style elements and attributes into the page, which the content security policy of the gateway
 * refuses. Constructed style sheets and single properties do the same, and the policy allows them to scripts.
 */
export function adoptStyles(): void {
  adoptStyleElements()
  adoptStyleAttributes()
  adoptStylesInMarkup()
}

/** In place of each style element comes one without a look, with a constructed style sheet of the same text. */
function adoptStyleElements(): void {
  const create = document.createElement.bind(document)
  const createElement = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? adopted(create('adopted-style')) : create(name, options)
  document.createElement = createElement as typeof document.createElement // its overloads by name stay true
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

/** A style attribute within a tag; in texts, `<` is escaped. */
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
