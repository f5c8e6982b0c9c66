import 'uplot/dist/uPlot.min.css'
import './style.css'
import { render } from 'preact'
import { App } from './app.js'

const root = document.getElementById('root')
if (root !== null) {
  root.replaceChildren()
  render(<App />, root)
}
