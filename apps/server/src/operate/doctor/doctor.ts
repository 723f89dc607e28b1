import { readConfig, SettingsError } from '../../config.ts'
import type { Config } from '../../config.ts'
import { runningServer } from '../ask-server.ts'
import type { ServerState } from '../asks.ts'
import { fault, fine, messageOf, warning } from './finding.ts'
import type { Finding } from './finding.ts'
import { checkNodes } from './nodes.ts'
import { checkBroker, checkDatabase, checkMail, checkObjects, checkPublicUrl, checkReplica } from './services.ts'
import { checkCertificate, checkData, checkPorts } from './this-machine.ts'

/** No build of this product is older: a clock before it is wrong. */
const built_after = new Date('2026-01-01')

/** Looks at everything that an installation needs. Changes nothing but one object of a bucket, which it takes back. */
export async function examine(options: { env_file?: string }, now = new Date()): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(process.env, options)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.problems.map((problem) => fault('settings', problem, 'docs/settings.md has all of them.'))
  }
  const findings = [
    fine('settings', options.env_file ? `from ${options.env_file} and the environment` : 'from the environment'),
  ]
  let state: ServerState | undefined
  try {
    const running = await runningServer(config.data)
    state = await running?.ask({ ask: 'state' })
    running?.close()
    findings.push(fine('server', state ? `version ${state.version} runs` : 'does not run'))
  } catch (error) {
    findings.push(fault('server', messageOf(error), 'Run doctor as the user of the server.'))
  }
  const checks = await Promise.all([
    checkData(config, state),
    checkPorts(config, state),
    checkCertificate(config, state, now),
    checkDatabase(config, state),
    checkReplica(config),
    checkNodes(config),
    checkBroker(config, state),
    checkObjects(config),
    checkMail(config),
    checkPublicUrl(config, state),
  ])
  findings.push(...checkClock(state, now), ...checks.flat())
  return findings
}

function checkClock(state: ServerState | undefined, now: Date): Finding[] {
  if (now < built_after) return [fault('clock', now.toISOString(), 'Set the clock, and run a time service (chrony).')]
  if (state?.clock_doubt)
    return [warning('clock', state.clock_doubt, 'It jumped; the server lets nothing expire for an hour.')]
  return [fine('clock', now.toISOString())]
}

const marks = { fine: 'ok   ', warning: 'warn ', fault: 'FAULT' }

export const linesOf = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ subject, state, says, advice }) => [
    `${marks[state]}  ${subject.padEnd(15)} ${says}`,
    ...(advice === undefined ? [] : [`${' '.repeat(23)} -> ${advice}`]),
  ])
