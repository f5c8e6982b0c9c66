import './style.css'
import { authenticateFetch } from '../client/authenticate-fetch.js'
import { showPageAccess } from '../parts/show-page-access.js'
import { showExamples } from './examples.js'
import { type ExplorerConfig, startGraphiql } from './start.js'

const config: ExplorerConfig = JSON.parse(document.getElementById('config')?.textContent ?? '')
authenticateFetch(({ url }) => new URL(url).pathname === '/graphql')
showPageAccess()
const linked = takeLinkedOperation()
startGraphiql(config)
showExamples(config.operationsPath, linked)

/** Returns the operation that a link names and removes it from the URL, so that a reload does not open it again. */
function takeLinkedOperation(): string | null {
  const url = new URL(location.href)
  const name = url.searchParams.get('operation')
  url.searchParams.delete('operation')
  if (name !== null) history.replaceState({}, '', url)
  return name
}
