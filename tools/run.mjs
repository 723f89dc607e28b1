// Every npm script goes through here: install and build what is missing, then run the thing.
import { spawn } from 'node:child_process'
import { checkNode, ensureInstalled } from './install.mjs'
import { ensureBuilt } from './build.mjs'
import { root } from './terminal.mjs'

const [name, ...args] = process.argv.slice(2)
const typescript = (file) => ['--import', 'tsx', file]
const commands = {
  demo: { build: ['server', 'console', 'terminal'], run: ['apps/server/dist/demo.js'] },
  start: { build: ['server', 'console', 'terminal'], run: ['--enable-source-maps', 'apps/server/dist/main.js'] },
  mdm: { build: ['server', 'console', 'terminal'], run: ['--enable-source-maps', 'apps/server/dist/mdm.js'] },
  release: { build: ['server', 'console', 'terminal'], run: ['tools/release.mjs'] },
  agent: { build: ['server'], run: ['apps/server/dist/agent.js', 'agent'] },
  'agent:build': { run: ['apps/agent/build.mjs'] },
  'agent:package': { run: ['apps/agent/build.mjs', 'package'] },
  fleet: { build: ['server'], run: ['apps/server/dist/agent.js', 'fleet'] },
  build: { build: ['server', 'console', 'terminal'] },
  dev: { run: typescript('tools/dev.ts') },
  test: { run: ['tools/test.mjs'] },
  check: { run: ['tools/check.mjs'] },
  bench: { build: ['server', 'console', 'terminal'], run: typescript('bench/run.ts') },
  soak: { build: ['server', 'console', 'terminal'], run: typescript('bench/soak.ts') },
  openapi: { run: typescript('tools/descriptions.ts') },
  screens: { run: typescript('tools/screens.ts') },
  where: { run: typescript('tools/where.ts') },
}

const command = commands[name]
if (!command) {
  console.error(`Unknown command ${name}. There are: ${Object.keys(commands).join(', ')}`)
  process.exit(2)
}
// Devices with an agent of others are simulated by the testbed, which is not a part of what is shipped.
const kind = args.indexOf('--kind')
if (name === 'fleet' && kind >= 0) {
  const kinds = ['mdmesh', 'headwind']
  if (!kinds.includes(args[kind + 1])) {
    console.error(`Unknown kind of agent ${args[kind + 1]}. There are: ${kinds.join(', ')}`)
    process.exit(2)
  }
  Object.assign(command, { build: undefined, run: typescript(`testbed/src/${args[kind + 1]}/fleet.ts`) })
}
checkNode()
ensureInstalled()
if (command.build) ensureBuilt(command.build)
if (command.run) {
  const child = spawn(process.execPath, [...command.run, ...args], { cwd: root, stdio: 'inherit' })
  // The terminal sends Ctrl-C to the whole group; the child closes gracefully and decides when this ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signal === 'SIGTERM' && child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
