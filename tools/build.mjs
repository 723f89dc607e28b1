import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, step } from './terminal.mjs'

const parts = [
  {
    name: 'server',
    sources: ['apps/server/src', 'apps/agent/src', 'packages', 'testbed/src', 'package-lock.json'],
    output: 'apps/server/dist',
    run: ['node', 'apps/server/build.mjs'],
  },
  {
    name: 'console',
    sources: [
      'apps/console/src',
      'apps/console/index.html',
      'apps/console/vite.config.ts',
      'apps/console/page-build.ts',
      'apps/console/precompress.ts',
      'packages/contract/src',
      'package-lock.json',
    ],
    output: 'apps/console/dist',
    run: ['node', 'node_modules/vite/bin/vite.js', 'build', 'apps/console', '--logLevel', 'warn'],
  },
  {
    name: 'terminal',
    sources: [
      'apps/terminal/src',
      'apps/terminal/public',
      'apps/terminal/index.html',
      'apps/terminal/vite.config.ts',
      'apps/console/page-build.ts',
      'apps/console/precompress.ts',
      'apps/agent/src',
      'packages/device-link/src',
      'package-lock.json',
    ],
    output: 'apps/terminal/dist',
    run: ['node', 'node_modules/vite/bin/vite.js', 'build', 'apps/terminal', '--logLevel', 'warn'],
  },
]

/** Builds what is missing or older than its sources. */
export function ensureBuilt(names = parts.map((p) => p.name)) {
  for (const part of parts.filter((p) => names.includes(p.name))) {
    const stamp = join(root, part.output, '.built')
    const newest = Math.max(...part.sources.map((s) => newestChange(join(root, s))))
    if (existsSync(stamp) && Number(readFileSync(stamp, 'utf8')) === newest) continue
    step(`Building the ${part.name}`)
    const [command, ...args] = part.run
    const { status } = spawnSync(command === 'node' ? process.execPath : command, args, {
      cwd: root,
      // Pages are those of production, whoever asks for the build: libraries give fixed ids to a test, and a test may be who asks.
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 2, 2],
    })
    if (status !== 0) process.exit(status ?? 1)
    writeFileSync(stamp, String(newest))
  }
}

/** Latest modification below a path, in ms; generated and installed files do not count. */
function newestChange(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(
    0,
    ...readdirSync(path)
      .filter((name) => name !== 'dist' && name !== 'node_modules')
      .map((name) => newestChange(join(path, name))),
  )
}
