// A reporter of Playwright: how often a run loaded a page, and which of its waits came nearest to their patience.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './terminal.mjs'

export default class BrowserWaits {
  loads = 0
  waits = []
  onStepEnd(_test, _result, { category, title, duration, location }) {
    if (category === 'pw:api' && title.startsWith('Navigate')) this.loads += 1
    if (category === 'expect' && location)
      this.waits.push({ at: `${relative(root, location.file)}:${location.line}`, what: title, ms: duration })
  }
  onEnd() {
    const to = process.env.MDM_TEST_BROWSER_WAITS
    if (to) writeFileSync(to, JSON.stringify({ loads: this.loads, waits: this.waits }))
  }
}
