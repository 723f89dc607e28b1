// Builds a Debian package of a tree; no compiler and no debhelper takes part.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const architectures = { x64: 'amd64', arm64: 'arm64', arm: 'armhf', ia32: 'i386' }

/** What is not of this machine's kind has no Node in it. */
export function architectureOf(has_node) {
  const architecture = has_node ? architectures[process.arch] : 'all'
  if (!architecture) throw new Error(`Debian has no name for ${process.arch}`)
  return architecture
}

export function write(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

function run(program, ...args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error || status !== 0) throw new Error(`${program}: ${error?.message ?? stderr.trim()}`)
  return stdout
}

/**
 * Packs what is in `tree`, owned by root. `control` holds the fields of deb-control(5), `scripts` the maintainer's scripts by their
 * names. Returns the path, NAME_VERSION_ARCHITECTURE.deb in `out`.
 */
export function buildPackage({ tree, control, scripts, out }) {
  const fields = { ...control, 'Installed-Size': run('du', '--summarize', '--block-size=1K', tree).split('\t')[0] }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  write(join(tree, 'DEBIAN/control'), lines.join(''), 0o644)
  for (const [name, text] of Object.entries(scripts)) write(join(tree, 'DEBIAN', name), text, 0o755)
  mkdirSync(out, { recursive: true })
  const path = join(out, `${control.Package}_${control.Version}_${control.Architecture}.deb`)
  // The control member stays gzip, which the server of the MDM reads.
  run('dpkg-deb', '--root-owner-group', '-Zxz', '-z6', '--no-uniform-compression', '--build', tree, path)
  return path
}
