import { openInTab } from './tabs.js'

/** A published operation, as the gateway lists it. */
interface Example {
  readonly operation: string
  readonly href: string
  readonly tag: string
  readonly summary: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Longest that the page waits for an answer. */
const TIMEOUT_MS = 20_000

/** Fills the list of examples, and opens the one of a link. */
export function showExamples(operationsPath: string, linked: string | null): void {
  const form = document.querySelector<HTMLFormElement>('#examples')
  const select = form?.querySelector('select')
  if (form == null || select == null) return
  const status = statusLine(form)
  const open = async (name: string, examples: readonly Example[]) => {
    const example = examples.find(({ operation }) => operation === name)
    if (example === undefined) return status(`There is no operation ${shortened(name)}.`)
    select.value = name
    status('')
    await openExample(example)
  }
  const complain = (error: unknown) =>
    status(`Not opened: ${error instanceof Error ? error.message : error}.`)
  const start = async () => {
    const examples = await listed(operationsPath)
    select.replaceChildren(new Option('Choose an operation', ''), ...groupsOf(examples))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (select.value === '') status('Choose an operation first.')
      else open(select.value, examples).catch(complain)
    })
    for (const control of form.querySelectorAll<HTMLSelectElement | HTMLButtonElement>('select, button'))
      control.disabled = false
    if (linked !== null) await open(linked, examples)
  }
  start().catch(complain)
}

/** Shows a text below the list, which screen readers say; '' shows none. */
function statusLine(form: HTMLFormElement): (text: string) => void {
  const line = form.querySelector('[role="status"]')
  return (text) => {
    if (line !== null) line.textContent = text
  }
}

/** A name out of an address may be anything. */
function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

async function listed(operationsPath: string): Promise<readonly Example[]> {
  const { data } = await (await got(operationsPath)).json()
  return data
}

async function openExample({ href, operation, variables }: Example): Promise<void> {
  const text = await (await got(href)).text()
  const hasVariables = Object.keys(variables).length > 0
  await openInTab({
    name: operation,
    text,
    variables: hasVariables ? JSON.stringify(variables, null, 2) : '',
  })
}

async function got(path: string): Promise<Response> {
  // A browser that has the list of an earlier version asks whether it is still the same.
  const response = await fetch(path, { cache: 'no-cache', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response
}

/** One group per tag of the REST reference, in its order. */
function groupsOf(examples: readonly Example[]): readonly HTMLOptGroupElement[] {
  const tags = [...new Set(examples.map(({ tag }) => tag))]
  return tags.map((tag) => {
    const group = document.createElement('optgroup')
    group.label = tag
    const ofTag = examples.filter((example) => example.tag === tag)
    group.append(...ofTag.map(({ operation, summary }) => new Option(`${operation}: ${summary}`, operation)))
    return group
  })
}
