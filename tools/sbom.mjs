import { execFileSync } from 'node:child_process'
import { root } from './terminal.mjs'

/**
 * CycloneDX of what the lock file says is shipped, as `npm sbom` writes it. Its number and time are left out, which would make
 * each build another.
 */
export function billOfMaterials() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const said = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6, stdio: ['ignore', 'pipe', 2] })
  const { serialNumber: _number, metadata, ...rest } = JSON.parse(said)
  const { timestamp: _time, tools: _tools, component, ...kept } = metadata
  return `${JSON.stringify({ ...rest, metadata: { ...kept, component: { ...component, type: 'application', name: 'mdm' } } }, null, 1)}\n`
}
