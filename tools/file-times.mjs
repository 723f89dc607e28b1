// A reporter of vitest: how long each test file took with its imports and hooks, which the JSON report leaves out.
import { writeFileSync } from 'node:fs'

export default class FileTimes {
  times = []
  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, duration } = module.diagnostic()
    this.times.push({ file: module.moduleId, ms: collectDuration + setupDuration + duration })
  }
  onTestRunEnd() {
    const to = process.env.MDM_TEST_FILE_TIMES
    if (to) writeFileSync(to, JSON.stringify(this.times))
  }
}
