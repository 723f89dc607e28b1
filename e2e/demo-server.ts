import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

type Who = 'operator' | 'customer' | 'sub_account' | 'manager' | 'viewer'
export type Account = {
  username: string
  name: string
  kind: Who
  password: string
  token: string
  account_kid: string
  account_name: string
}
export type Demo = { url: string; mqtt_url: string; accounts: Account[] }
export type ScreenRow = { path: string; needs: string; end_type: 1 | 2; group: string; title: string }

/** Settings of the server that happen to be set around the tests are not the demo's, and it refuses unknown ones. */
export const cleanEnv = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(MDM_|DATABASE_URL$|MQTT_URL$)/.test(name))),
  ...more,
})

let running: Demo | undefined

/** The demo of this worker, as it describes itself to scripts. */
export function demo(): Demo {
  if (!running) throw new Error('no demo runs: import `test` from e2e/test.ts')
  return running
}
export const demoIs = (started: Demo | undefined): void => void (running = started)

export function accountOf(username: string): Account {
  const account = demo().accounts.find((each) => each.username === username)
  if (!account) throw new Error(`the demo has no account ${username}`)
  return account
}

/** Every screen that the console declares, asked of the tool that prints them. */
export const screenRows = (): ScreenRow[] =>
  JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', 'tools/screens.ts'], { cwd: root, encoding: 'utf8' }),
  ) as ScreenRow[]

/** A child that keeps what it said; `said` is all of it. */
export type Spoken = { child: ChildProcess; said: () => string; ended: Promise<number | null> }

export function speak(command: string, args: string[], env: NodeJS.ProcessEnv, cwd = root): Spoken {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (part) => (text += part))
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      text += `\n${error.message}`
      resolve(null)
    })
    child.on('exit', resolve)
  })
  return { child, said: () => text, ended }
}
