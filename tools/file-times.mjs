// A reporter of vitest: how long each test file took with its imports and hooks, and what failed outside of every test:
// a file that can't be loaded, what a hook prepares or clears away, an error that nobody awaited. The JSON report leaves
// these out.
import { writeFileSync } from 'node:fs'

export default class FileTimes {
  times = []
  outside = []
  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, duration } = module.diagnostic()
    this.times.push({ file: module.moduleId, ms: collectDuration + setupDuration + duration })
    for (const part of [module, ...module.children.allSuites()])
      for (const { message, stack } of part.errors())
        this.outside.push([nameOf(module, part), stack?.includes(message) ? stack : `${message}\n${stack}`])
  }
  onTestRunEnd(_modules, errors) {
    const to = process.env.MDM_TEST_FILE_TIMES
    const unhandled = errors.map(({ message, stack }) => ['an error outside of every test', stack ?? message])
    if (to) writeFileSync(to, JSON.stringify({ times: this.times, outside: [...this.outside, ...unhandled] }))
  }
}

function nameOf(module, part) {
  return part === module ? module.moduleId : `${module.moduleId} > ${part.fullName}`
}
