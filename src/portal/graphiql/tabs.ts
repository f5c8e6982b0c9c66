/** The text model of an editor of GraphiQL. */
interface EditorModel {
  readonly uri: { readonly path: string }
  getValue(): string
  setValue(text: string): void
}

interface EditorWindow {
  readonly __MONACO?: { readonly editor: { getModels(): readonly EditorModel[] } }
}

/** The content of a tab; `variables` is JSON, or '' without variables. */
export interface TabContent {
  readonly name: string
  readonly text: string
  readonly variables: string
}

interface Editors {
  readonly operation: EditorModel
  readonly variables: EditorModel
}

/** GraphiQL draws its editors some time after it has started. */
const READY_TIMEOUT_MS = 20_000
const READY_POLL_MS = 50

/** Shows the tab with exactly this content, or opens one. GraphiQL has no API for tabs, so this clicks its buttons. */
export async function openInTab(content: TabContent): Promise<void> {
  const editors = await waitForEditors()
  if (!showEqualTab(content, editors)) {
    document.querySelector<HTMLElement>('.graphiql-tab-add')?.click()
    editors.operation.setValue(content.text)
    editors.variables.setValue(content.variables)
  }
  if (content.variables !== '') showVariables()
  requestAnimationFrame(showOpenTab)
}

/** Selects each tab of the name until one has the content; returns whether one has. */
function showEqualTab({ name, text, variables }: TabContent, editors: Editors): boolean {
  const tabs = [...document.querySelectorAll<HTMLElement>('.graphiql-tab-button')]
  return tabs
    .filter((tab) => tab.textContent?.trim() === name)
    .some((tab) => {
      tab.click()
      return editors.operation.getValue() === text && editors.variables.getValue() === variables
    })
}

/** Scrolls the row of tabs to the selected one. */
function showOpenTab(): void {
  document.querySelector('.graphiql-tabs [aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
}

function showVariables(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>('.graphiql-editor-tools button')]
  buttons.find((button) => button.textContent?.trim() === 'Variables')?.click()
}

async function waitForEditors(): Promise<Editors> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    const editors = findEditors()
    if (editors !== null) return editors
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
  throw new Error('the editor did not start within 20 seconds')
}

function findEditors(): Editors | null {
  const models = (window as unknown as EditorWindow).__MONACO?.editor.getModels() ?? [] // GraphiQL's script defines it
  const model = (name: string) => models.find(({ uri }) => uri.path.endsWith(name))
  const [operation, variables] = [model('operation.graphql'), model('variables.json')]
  const isDrawn =
    document.querySelector('.graphiql-query-editor .view-line') !== null &&
    document.querySelector('.graphiql-tab-add') !== null
  return isDrawn && operation !== undefined && variables !== undefined ? { operation, variables } : null
}
