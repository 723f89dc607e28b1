// Builds a Debian package of a tree; no compiler and no debhelper takes part.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const architectures = { x64: 'amd64', arm64: 'arm64', arm: 'armhf', ia32: 'i386' }

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
 * Packs what is in `tree`, owned by root; `has_node`: with the Node of this process, which has to run on the target. `scripts` are the
 * maintainer's by their names. Returns the path, NAME_VERSION_ARCHITECTURE.deb in `out`.
 */
export function buildPackage({ tree, name, version, description, has_node, scripts, out }) {
  const architecture = has_node ? architectures[process.arch] : 'all'
  if (!architecture) throw new Error(`Debian has no name for ${process.arch}`)
  const control = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: 'MDM <mdm@example.com>',
    'Installed-Size': run('du', '--summarize', '--block-size=1K', tree).split('\t')[0],
    Depends: has_node ? 'libc6 (>= 2.28), libstdc++6' : 'nodejs (>= 20.19)',
    Recommends: 'systemd',
    Section: 'admin',
    Priority: 'optional',
    Description: description,
  }
  const lines = Object.entries(control).map(([field, value]) => `${field}: ${value}\n`)
  write(join(tree, 'DEBIAN/control'), lines.join(''), 0o644)
  for (const [script, text] of Object.entries(scripts)) write(join(tree, 'DEBIAN', script), text, 0o755)
  mkdirSync(out, { recursive: true })
  const path = join(out, `${name}_${version}_${architecture}.deb`)
  // The control member stays gzip, which the server of the MDM reads.
  run('dpkg-deb', '--root-owner-group', '-Zxz', '-z6', '--no-uniform-compression', '--build', tree, path)
  return path
}
