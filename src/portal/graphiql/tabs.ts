/** A text that an editor of GraphiQL shows. */
interface EditorModel {
  readonly uri: { readonly path: string }
  getValue(): string
  setValue(text: string): void
}

interface EditorWindow {
  readonly __MONACO?: { readonly editor: { getModels(): readonly EditorModel[] } }
}

/** What a tab is filled with; `variables` is JSON, or '' for none. */
export interface TabContent {
  readonly name: string
  readonly text: string
  readonly variables: string
}

interface Editors {
  readonly operation: EditorModel
  readonly variables: EditorModel
}

/** GraphiQL draws its editors after it has started; how long that may take, and how often the page looks. */
const READY_MS = 20_000
const LOOK_MS = 50

/** Shows the tab that has the content as it is, else a new one. GraphiQL opens tabs by its own buttons alone. */
export async function openInTab(content: TabContent): Promise<void> {
  const editors = await readyEditors()
  if (!showsEqualTab(content, editors)) {
    document.querySelector<HTMLElement>('.graphiql-tab-add')?.click()
    editors.operation.setValue(content.text)
    editors.variables.setValue(content.variables)
  }
  if (content.variables !== '') showVariables()
  requestAnimationFrame(showOpenTab)
}

/** Goes through the tabs of the name; where none is equal, the one that was open is left for a new one. */
function showsEqualTab({ name, text, variables }: TabContent, editors: Editors): boolean {
  const tabs = [...document.querySelectorAll<HTMLElement>('.graphiql-tab-button')]
  return tabs
    .filter((tab) => tab.textContent?.trim() === name)
    .some((tab) => {
      tab.click()
      return editors.operation.getValue() === text && editors.variables.getValue() === variables
    })
}

/** The row of tabs scrolls. */
function showOpenTab(): void {
  document.querySelector('.graphiql-tabs [aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
}

function showVariables(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>('.graphiql-editor-tools button')]
  buttons.find((button) => button.textContent?.trim() === 'Variables')?.click()
}

async function readyEditors(): Promise<Editors> {
  const deadline = Date.now() + READY_MS
  while (Date.now() < deadline) {
    const editors = drawnEditors()
    if (editors !== null) return editors
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new Error('the editor did not start')
}

function drawnEditors(): Editors | null {
  const models = (window as unknown as EditorWindow).__MONACO?.editor.getModels() ?? [] // made by the script of GraphiQL
  const model = (name: string) => models.find(({ uri }) => uri.path.endsWith(name))
  const [operation, variables] = [model('operation.graphql'), model('variables.json')]
  const isDrawn =
    document.querySelector('.graphiql-query-editor .view-line') !== null &&
    document.querySelector('.graphiql-tab-add') !== null
  return isDrawn && operation !== undefined && variables !== undefined ? { operation, variables } : null
}
