import 'uplot/dist/uPlot.min.css'
import './style.css'
import './explorer.css'
import './assets/treemap.css'
import './overview/overview.css'
import './search/search.css'
import { render } from 'preact'
import { PortalApp } from './portal-app.js'

const root = document.getElementById('root')
if (root !== null) {
  root.replaceChildren()
  render(<PortalApp />, root)
}
