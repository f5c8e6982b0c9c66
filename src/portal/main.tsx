import 'uplot/dist/uPlot.min.css'
import './styles/tokens.css'
import './styles/base.css'
import './frame/frame.css'
import './styles/layout.css'
import './styles/texts.css'
import './styles/tables.css'
import './styles/controls.css'
import './styles/charts.css'
import './styles/known.css'
import './styles/calls.css'
import './assets/asset.css'
import './assets/holdings/treemap.css'
import './currencies/month.css'
import './overview/overview.css'
import './search/search.css'
import './styles/guides.css'
import './styles/print.css'
import { render } from 'preact'
import { startFrame } from './frame/frame.js'
import { parsePageRoute } from './location.js'
import { loadPage } from './page-view.js'
import { printAddresses } from './parts/print-addresses.js'
import { PortalApp } from './portal-app.js'

startFrame()
printAddresses()
const root = document.getElementById('root')
if (root !== null) {
  // The page at hand appears at once, without a loading state. If its script is missing, the app says so.
  await loadPage(parsePageRoute(location.pathname).page).catch(() => undefined)
  root.replaceChildren()
  render(<PortalApp />, root)
}
