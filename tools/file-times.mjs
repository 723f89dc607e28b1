// A reporter of vitest: how long each test file took with its imports and hooks, and what failed
// outside of every test; the JSON report leaves both out.
import { writeFileSync } from 'node:fs'

export default class FileTimes {
  times = []
  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, duration } = module.diagnostic()
    this.times.push({ file: module.moduleId, ms: collectDuration + setupDuration + duration })
  }
  onTestRunEnd(_modules, errors) {
    const to = process.env.MDM_TEST_FILE_TIMES
    const unhandled = errors.map(({ message, stack }) => stack ?? message)
    if (to) writeFileSync(to, JSON.stringify({ times: this.times, unhandled }))
  }
}
