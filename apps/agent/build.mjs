// npm run agent:build: apps/agent/dist/mdm-agent.mjs. npm run agent:package: a Debian package of it beside.
import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bundleAgent, dist } from './bundle.mjs'
import { packDebian } from './debian.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, 'without-node': { type: 'boolean' } },
})
/** Devices fetch it over metered networks. */
const package_max = 40e6
const say = (path) => {
  const { size } = statSync(path)
  console.log(`${path} ${(size / 1e6).toFixed(1)} MB`)
  if (size > package_max) throw new Error(`It is larger than ${package_max / 1e6} MB`)
}
const bundle = await bundleAgent()
say(bundle)
if (positionals[0] === 'package')
  say(packDebian({ bundle, out: values.out ?? dist, has_node: !values['without-node'] }))
