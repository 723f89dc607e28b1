import { join } from 'node:path'
import type { OsBody } from '../body/body.ts'
import { buildOf, parseOsRelease } from '../body/linux-identity.ts'
import { readText, systemRoots } from '../body/linux-read.ts'
import type { Roots } from '../body/linux-read.ts'
import { osByTool } from '../body/os-tool.ts'
import type { SystemWork } from '../body/system-work.ts'
import { os_folder } from './direct.ts'
import { formatOf } from './os-tools.ts'

/** A system that a tool of this machine updates, where there is one and the system says what it is. */
export async function linuxOsTool(
  data: string,
  system: SystemWork,
  { roots = systemRoots, release = '/etc/os-release' }: { roots?: Roots; release?: string } = {},
): Promise<OsBody | undefined> {
  const name = system.can.os_tool
  if (!name) return undefined
  return osByTool({
    dir: join(data, os_folder),
    format: formatOf(name),
    async build() {
      const os = parseOsRelease((await readText(release)) ?? '')
      const { uid, version_code, ver } = buildOf(os)
      const os_version = os['VERSION_ID']?.slice(0, 64)
      if (uid === undefined || !os_version || version_code === undefined || ver === undefined) return undefined
      return { uid, os_version, version_code, ver }
    },
    boot_id: async () => ((await readText(join(roots.proc, 'sys/kernel/random/boot_id'))) ?? '').slice(0, 64),
    now: () => new Date(),
    install: system.install_os,
    settle: system.settle_os,
  })
}
