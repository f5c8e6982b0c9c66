import 'uplot/dist/uPlot.min.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/texts.css'
import './styles/tables.css'
import './styles/controls.css'
import './styles/charts.css'
import './styles/calls.css'
import './assets/treemap.css'
import './currencies/month.css'
import './overview/overview.css'
import './search/search.css'
import './styles/print.css'
import { render } from 'preact'
import { PortalApp } from './portal-app.js'

const root = document.getElementById('root')
if (root !== null) {
  root.replaceChildren()
  render(<PortalApp />, root)
}
