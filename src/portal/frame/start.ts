import { config } from '../config.js'
import { printAddresses } from '../parts/print-addresses.js'
import { startFrame } from './frame.js'

startFrame()
printAddresses()
for (const block of document.querySelectorAll<HTMLElement>('.guide pre')) addCopyButton(block)
if (config.pageKey === null)
  document.querySelector('#search')?.addEventListener('focusin', adoptKey, { once: true })

/**
 * Takes the key of the pages from the first page. The guides do not contain it, because scripts of other sites may read
 * them; the first page is closed to these.
 */
async function adoptKey(): Promise<void> {
  const response = await fetch('/', { headers: { accept: 'text/html' } })
  const first = new DOMParser().parseFromString(await response.text(), 'text/html')
  const { pageKey } = JSON.parse(first.getElementById('config')?.textContent ?? '{"pageKey":null}')
  Object.assign(config, { pageKey })
}

/** Puts a button before a block of code of a guide, which copies the code. */
function addCopyButton(block: HTMLElement): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'plain small copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent ?? '')
    button.textContent = 'Copied'
  })
  const frame = document.createElement('div')
  frame.className = 'block'
  block.replaceWith(frame)
  frame.append(block, button)
}
