import { createHash } from 'node:crypto'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppToInstall } from '@mdm/device-link'
import { linuxInstaller } from '../body/linux-install.ts'
import { directWork } from './direct.ts'

const has_dpkg = spawnSync('dpkg', ['--version']).status === 0 && process.getuid?.() === 0

let folder: string
let count = 0
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-debian-'))))
afterAll(() => rmSync(folder, { recursive: true }))

type Made = { name?: string; version: string; postinst?: string; depends?: string }
function deb({ name = 'acme-till', version, postinst = 'exit 0', depends }: Made): string {
  const tree = join(folder, `tree-${(count += 1)}`)
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true })
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  mkdirSync(join(tree, 'etc'))
  writeFileSync(join(tree, 'usr/bin/till'), `till ${version}`)
  writeFileSync(join(tree, 'etc/till.conf'), 'as delivered')
  const control = [`Package: ${name}`, `Version: ${version}`, 'Architecture: all', 'Maintainer: A <a@example.com>']
  if (depends) control.push(`Depends: ${depends}`)
  writeFileSync(join(tree, 'DEBIAN/control'), `${control.join('\n')}\nDescription: Till\n`)
  writeFileSync(join(tree, 'DEBIAN/conffiles'), '/etc/till.conf\n')
  writeFileSync(join(tree, 'DEBIAN/postinst'), `#!/bin/sh\n${postinst}\n`, { mode: 0o755 })
  const path = join(folder, `${count}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, path])
  return path
}

/** A machine of its own: dpkg keeps its books below another root, and scripts of packages run outside of it. */
function machine(more: { packages?: boolean } = {}) {
  const home = join(folder, `machine-${(count += 1)}`)
  const root = join(home, 'root')
  const data = join(home, 'data')
  for (const each of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'var/log'])
    mkdirSync(join(root, each), { recursive: true })
  for (const each of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', each), '')
  mkdirSync(join(data, 'packages'), { recursive: true })
  const state = join(home, 'state')
  const dpkg = [`--root=${root}`, '--force-script-chrootless', `--log=${join(home, 'log')}`]
  const system = directWork({ data, ...more }, { debian: { state, dpkg } })
  const installer = linuxInstaller({ data, log: () => {}, system })
  async function push(path: string, version: string, name = 'acme-till') {
    const bytes = readFileSync(path)
    const digest = (kind: string) => createHash(kind).update(bytes).digest('hex')
    const file = { name: 'till.deb', size: bytes.length, md5: digest('md5'), sha256: digest('sha256'), url: '/x' }
    const app: AppToInstall = { package: name, title: 'Till', version, version_code: 1, kind: 'deb', file }
    const landing = await installer.land(app)
    try {
      if (landing.position === 0) await landing.write(bytes)
      await installer.assertFits(app)
      await installer.install(app, landing, new AbortController().signal)
    } finally {
      await landing.close()
    }
  }
  return { root, data, state, system, installer, push }
}
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  )

describe.skipIf(!has_dpkg)(
  'Debian packages, by the dpkg of this machine (which has to be there, and the test be root)',
  () => {
    test('a package is installed with its scripts, updated keeping changed settings, and removed', async () => {
      const { root, data, state, installer, push } = machine()
      const ran = join(folder, 'ran')
      await push(deb({ version: '1.0', postinst: `echo configured >> ${ran}` }), '1.0')
      expect(await installer.installed('acme-till')).toEqual({ version: '1.0' })
      expect(readFileSync(join(root, 'usr/bin/till'), 'utf8')).toBe('till 1.0')
      expect(readFileSync(ran, 'utf8')).toBe('configured\n')
      writeFileSync(join(root, 'etc/till.conf'), 'as the owner wants it')
      await push(deb({ version: '2.0' }), '2.0')
      expect(await installer.installed('acme-till')).toEqual({ version: '2.0' })
      expect(readFileSync(join(root, 'etc/till.conf'), 'utf8')).toBe('as the owner wants it')
      // Nothing is left of the way there.
      expect([readdirSync(join(data, 'packages')), readdirSync(join(data, 'parts'))]).toEqual([[], []])
      expect(readdirSync(state)).toEqual(['pushed-packages.json'])
      expect(await installer.uninstall('acme-till')).toBe(true)
      expect(await installer.installed('acme-till')).toBeUndefined()
      expect(existsSync(join(root, 'usr/bin/till'))).toBe(false)
    })

    test('a package whose script fails says so and is not there; an update that fails says what is', async () => {
      const { root, installer, push } = machine()
      const failed = await failureOf(push(deb({ version: '1.0', postinst: 'exit 7' }), '1.0'))
      expect(failed?.code).toBe('command_failed')
      expect(failed?.message).toMatch(/postinst|post-installation/)
      expect(failed?.message).toContain('exit status 7')
      expect(failed?.message).toContain('it is not installed')
      expect(existsSync(join(root, 'usr/bin/till'))).toBe(false)
      await push(deb({ version: '1.1' }), '1.1')
      const update = await failureOf(push(deb({ version: '1.2', postinst: 'exit 7' }), '1.2'))
      expect(update?.message).toContain('it is half-configured, version 1.2')
      expect(await installer.installed('acme-till')).toBeUndefined()
      // One that is right mends it.
      await push(deb({ version: '1.3' }), '1.3')
      expect(await installer.installed('acme-till')).toEqual({ version: '1.3' })
    })

    test('what a package depends on and is missing is named, and nothing of it stays', async () => {
      const { root, push } = machine()
      const failed = await failureOf(push(deb({ version: '1.0', depends: 'acme-drawer (>= 2)' }), '1.0'))
      expect(failed?.code).toBe('command_failed')
      expect(failed?.message).toContain('acme-drawer')
      expect(existsSync(join(root, 'usr/bin/till'))).toBe(false)
    })

    test('a package is not installed under another name, nor what is no package or was not downloaded', async () => {
      const { data, system, push } = machine()
      expect((await failureOf(push(deb({ version: '1.0', name: 'acme-other' }), '1.0')))?.code).toBe('bad_package')
      const broken = join(folder, 'broken.deb')
      writeFileSync(broken, 'no package')
      expect((await failureOf(push(broken, '1.0')))?.code).toBe('bad_package')
      const sha256 = createHash('sha256').update('no package').digest('hex')
      const asked = { place: broken, sha256, package: 'acme-till' }
      expect((await failureOf(system.install_package(asked)))?.code).toBe('bad_task')
      // Changed after it was verified.
      const place = join(data, 'packages', 'changed.deb')
      copyFileSync(deb({ version: '1.0' }), place)
      expect((await failureOf(system.install_package({ ...asked, place })))?.code).toBe('hash_mismatch')
    })

    test('an owner that wants no packages installed has none, and packages of the system are not removed', async () => {
      const { root, system, installer, push } = machine({ packages: false })
      expect(installer.package_kinds).toEqual(['zip'])
      expect((await failureOf(push(deb({ version: '1.0' }), '1.0')))?.code).toBe('package_kind')
      execFileSync('dpkg', [`--root=${root}`, '--force-script-chrootless', '-i', deb({ version: '1.0' })], {
        stdio: 'ignore',
      })
      expect(await system.remove_package('acme-till')).toBe(false)
      expect(await system.installed_version('acme-till')).toBe('1.0')
    })
  },
)
