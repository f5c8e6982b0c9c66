import { rankExamples, type SearchedOperation } from './rank-examples.js'
import { openInTab } from './tabs.js'

/** A published operation, as the gateway lists it. */
interface Example extends SearchedOperation {
  readonly href: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The page waits this long for a response. */
const TIMEOUT_MS = 20_000

/** Fills the list of examples and opens the one that a link names. */
export function showExamples(operationsPath: string, linked: string | null): void {
  const form = document.querySelector<HTMLFormElement>('#examples')
  const select = form?.querySelector('select')
  const search = form?.querySelector('input')
  if (form == null || select == null || search == null) return
  const status = statusLine(form)
  const open = async (name: string, examples: readonly Example[]) => {
    const example = examples.find(({ operation }) => operation === name)
    if (example === undefined)
      return status(`Unknown operation ${shortened(name)}. Choose one from the list.`)
    select.value = name
    status('')
    await openExample(example)
  }
  const showError = (error: unknown) =>
    status(`The example could not be opened: ${error instanceof Error ? error.message : error}. Try again.`)
  const start = async () => {
    const examples = await loadExamples(operationsPath)
    showAll(select, examples)
    search.addEventListener('input', () => status(showMatches(select, search.value, examples)))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (select.value === '') status('Choose an operation first.')
      else open(select.value, examples).catch(showError)
    })
    for (const control of form.querySelectorAll<HTMLSelectElement | HTMLInputElement>(
      'input, select, button',
    ))
      control.disabled = false
    if (linked !== null) await open(linked, examples)
  }
  start().catch(showError)
}

/** Returns a function that shows a text below the list, which screen readers announce; '' clears it. */
function statusLine(form: HTMLFormElement): (text: string) => void {
  const line = form.querySelector('[role="status"]')
  return (text) => {
    if (line !== null) line.textContent = text
  }
}

/** The name comes from the URL, so it may be of any length. */
function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

async function loadExamples(operationsPath: string): Promise<readonly Example[]> {
  const { data } = await (await fetchPath(operationsPath)).json()
  return data
}

async function openExample({ href, operation, variables }: Example): Promise<void> {
  const text = await (await fetchPath(href)).text()
  const hasVariables = Object.keys(variables).length > 0
  await openInTab({
    name: operation,
    text,
    variables: hasVariables ? JSON.stringify(variables, null, 2) : '',
  })
}

async function fetchPath(path: string): Promise<Response> {
  // `no-cache` makes the browser revalidate a list that it cached from an earlier version.
  const response = await fetch(path, { cache: 'no-cache', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response
}

function showAll(select: HTMLSelectElement, examples: readonly Example[]): void {
  select.replaceChildren(new Option('Choose an operation', ''), ...groupsOf(examples))
}

/** Lists the operations that a text finds and selects the best one. Returns how many there are; '' for an empty text. */
function showMatches(select: HTMLSelectElement, text: string, examples: readonly Example[]): string {
  const matches = rankExamples(text, examples)
  if (text.trim() === '') {
    showAll(select, examples)
    return ''
  }
  select.replaceChildren(...matches.map(toOption))
  if (matches.length === 0) {
    select.append(new Option('No operation matches', ''))
    return 'No operation matches. Try another word.'
  }
  return matches.length === 1 ? '1 operation matches.' : `${matches.length} operations match.`
}

function toOption({ operation, summary }: Example): HTMLOptionElement {
  return new Option(`${operation}: ${summary}`, operation)
}

/** One group per tag, in the order of the REST reference. */
function groupsOf(examples: readonly Example[]): readonly HTMLOptGroupElement[] {
  const tags = [...new Set(examples.map(({ tag }) => tag))]
  return tags.map((tag) => {
    const group = document.createElement('optgroup')
    group.label = tag
    const ofTag = examples.filter((example) => example.tag === tag)
    group.append(...ofTag.map(toOption))
    return group
  })
}
