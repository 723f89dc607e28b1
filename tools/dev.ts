// npm run dev: the demo's world from source, restarted when a file changes, behind Vite on the development port.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { root, step } from './terminal.mjs'

const console_port = process.env['MDM_HTTP_PORT'] ?? '8081'
const server_port = String(Number(console_port) + 1)
const server = {
  MDM_HTTP_PORT: server_port,
  MDM_DATA: process.env['MDM_DATA'] ?? './data/dev',
  MDM_PUBLIC_URL: process.env['MDM_PUBLIC_URL'] ?? `http://localhost:${server_port}`,
}
const vite = { MDM_SERVER: `http://127.0.0.1:${server_port}` }

const children: ChildProcess[] = []
let is_ending = false
const run = (args: string[], settings: Record<string, string>): void => {
  const env = { ...process.env, ...settings }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  child.on('exit', (code) => end(code ?? 1))
  children.push(child)
}
const end = (code: number): void => {
  if (is_ending) return
  is_ending = true
  for (const child of children) child.kill('SIGTERM')
  process.exitCode = code
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(0))

step(`console http://localhost:${console_port} (Vite), server http://localhost:${server_port}`)
run(['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'testbed/src/demo.ts'], server)
run(
  ['node_modules/vite/bin/vite.js', 'apps/console', '--port', console_port, '--strictPort', '--host', '127.0.0.1'],
  vite,
)
