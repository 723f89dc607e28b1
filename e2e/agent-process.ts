import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@mdm/testbed/until.ts'
import { cleanEnv, demo, speak } from './demo-server.ts'

/** A folder that is gone after the test. */
export async function tempFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mdm-e2e-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

type Options = { sn: string; data: string; qrcode?: string; files?: string; display?: string | undefined }
export type AgentProcess = AsyncDisposable & {
  /** The registration code that it shows in a box. */
  code: () => Promise<string>
  said: () => string
  /** As if its power failed. */
  kill: () => Promise<void>
}

/** The reference agent as a process of its own, as on a device: paths of pushes are below `files`, and none of this machine. */
export function startAgentProcess({ sn, data, qrcode, files = join(data, 'files'), display }: Options): AgentProcess {
  mkdirSync(files, { recursive: true })
  const given = [
    ...['--server', demo().url, '--data', data, '--sn', sn, '--files', files],
    ...(qrcode ? ['--qrcode', qrcode] : []),
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
