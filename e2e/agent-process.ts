import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@mdm/testbed/until.ts'
import { signedIn } from './calls.ts'
import { cleanEnv, demo, speak } from './demo-server.ts'

/** A folder that is gone after the test. */
export async function tempFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mdm-e2e-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

type Options = {
  sn: string
  data: string
  qrcode?: string
  files?: string
  display?: string | undefined
  /** Further settings of the agent, as on its command line. */
  settings?: string[]
}
export type AgentProcess = AsyncDisposable & {
  /** The registration code that it shows in a box. */
  code: () => Promise<string>
  said: () => string
  /** As if its power failed. */
  kill: () => Promise<void>
}

/** The reference agent as a process of its own, as on a device: paths of pushes are below `files`, and none of this machine. */
export function startAgentProcess(options: Options): AgentProcess {
  const { sn, data, qrcode, files = join(data, 'files'), display, settings = [] } = options
  mkdirSync(files, { recursive: true })
  const given = [
    ...['--server', demo().url, '--data', data, '--sn', sn, '--files', files],
    ...(qrcode ? ['--qrcode', qrcode] : []),
    ...settings,
  ]
  const { DISPLAY: _, ...env } = cleanEnv()
  const agent = speak(process.execPath, ['apps/server/dist/agent.js', 'agent', ...given], {
    ...env,
    ...(display && { DISPLAY: display }),
  })
  const end = async (signal: NodeJS.Signals) => {
    agent.child.kill(signal)
    await agent.ended
  }
  return {
    said: agent.said,
    code: () =>
      until(`the code of ${sn}`, () => {
        if (agent.child.exitCode !== null) throw new Error(`the agent ended:\n${agent.said()}`)
        return /Code {2}((?:\S ){5}\S)/.exec(agent.said())?.[1]?.replaceAll(' ', '')
      }),
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}

/** This machine as a device of the customer `lantern`: its kid, once it is online. */
export async function startEnrolledAgent(
  options: Omit<Options, 'qrcode'>,
): Promise<{ kid: string; agent: AgentProcess }> {
  const call = signedIn('lantern')
  const { qrcode_kid, content } = await call.terminal.qrcode_registered_cache({})
  const agent = startAgentProcess({ ...options, qrcode: content })
  const { sn } = options
  try {
    const kid = await until(
      `${sn} to be registered`,
      async () => (await call.terminal.get_scan_result({ qrcode_kid })).terminal_kid,
      40,
    )
    await until(`${sn} to be online`, async () => (await call.terminal.get({ kid })).is_online, 40)
    return { kid, agent }
  } catch (error) {
    await agent[Symbol.asyncDispose]()
    throw error
  }
}
