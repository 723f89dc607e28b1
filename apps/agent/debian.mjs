// Makes a Debian package of the bundle, with a Node of its own; no compiler takes part.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackage, write } from './debian-package.mjs'
import { version } from './bundle.mjs'

const own = '/usr/lib/mdm-agent'

/** A small young heap, one thread beside, and no compilers whose code and work would only stay in memory: an agent waits. */
export const flags = [
  '--max-semi-space-size=1',
  '--max-old-space-size=128',
  '--v8-pool-size=1',
  '--single-threaded-gc',
  '--no-opt',
  '--no-sparkplug',
  '--max-lazy',
]
export const environment = { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536' }
const exported = Object.entries(environment).map(([name, value]) => `${name}="\${${name}:-${value}}"`)

/** A version that was pushed and has proved itself is started in the place of the installed one, until that one changes. */
const starter = `#!/bin/sh
lib=$(dirname "$(readlink -f "$0")")/../lib/mdm-agent
export MDM_AGENT_BASE="$lib"
at=$lib
slot=$MDM_AGENT_SLOTS/current
if [ -n "$MDM_AGENT_SLOTS" ] && [ -r "$slot/mdm-agent.mjs" ] && [ "$(cat "$slot/base")" = "$(cat "$lib/version")" ]; then
  at=$(readlink -f "$slot")
fi
node=$at/node
[ -x "$node" ] || node=$lib/node
[ -x "$node" ] || node=node
export ${exported.join(' ')}
exec "$node" ${flags.join(' ')} "$at/mdm-agent.mjs" "$@"
`

/** A device that was set up before runs the new version, by units as the new version writes them. */
const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ] && [ -e "$DPKG_ROOT/etc/mdm-agent/agent.json" ] && [ -z "$DPKG_ROOT" ]; then
  /usr/bin/mdm-agent install
fi
`
const prerm = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -z "$DPKG_ROOT" ] && [ -e /etc/systemd/system/mdm-agent.service ]; then
  /usr/bin/mdm-agent uninstall
fi
`
/** Identity, tasks and settings of the device go with a purge only. */
const postrm = `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -rf "$DPKG_ROOT/etc/mdm-agent" "$DPKG_ROOT/var/lib/mdm-agent" "$DPKG_ROOT/var/lib/mdm-agent-helper"
fi
`

/** Returns the path of the package. `node` is that of this process, which has to run on the devices. */
export function packDebian({ bundle, out, has_node = true, as = version, node = process.execPath }) {
  const tree = mkdtempSync(join(tmpdir(), 'mdm-agent-deb-'))
  try {
    chmodSync(tree, 0o755)
    write(join(tree, 'usr/bin/mdm-agent'), starter, 0o755)
    write(join(tree, own, 'mdm-agent.mjs'), readFileSync(bundle), 0o644)
    write(join(tree, own, 'version'), `${as}\n`, 0o644)
    if (has_node) {
      const copy = join(tree, own, 'node')
      copyFileSync(node, copy)
      chmodSync(copy, 0o755)
      // It only makes the package smaller: where there is no strip it stays as it is.
      spawnSync('strip', ['--strip-unneeded', copy])
    }
    const description =
      'Agent of the mobile device management\n Connects this device to its server and does what is pushed to it.'
    const scripts = { postinst, prerm, postrm }
    return buildPackage({ tree, name: 'mdm-agent', version: as, description, has_node, scripts, out })
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}
