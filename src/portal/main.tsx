import 'uplot/dist/uPlot.min.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/texts.css'
import './styles/tables.css'
import './styles/controls.css'
import './styles/charts.css'
import './styles/calls.css'
import './assets/holdings/treemap.css'
import './currencies/month.css'
import './overview/overview.css'
import './search/search.css'
import './styles/print.css'
import { render } from 'preact'
import { parsePageRoute } from './location.js'
import { loadPage } from './page-view.js'
import { printAddresses } from './parts/print-addresses.js'
import { PortalApp } from './portal-app.js'

printAddresses()
const root = document.getElementById('root')
if (root !== null) {
  // The page at hand appears at once, without a loading state. If its script is missing, the app says so.
  await loadPage(parsePageRoute(location.pathname).page).catch(() => undefined)
  root.replaceChildren()
  render(<PortalApp />, root)
}
