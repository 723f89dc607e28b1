// Writes a version into the slots of a folder, and says when it begins; a test kills it meanwhile.
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { osSlots } from '../body/os-slots.ts'

const dir = process.argv[2]!
const build = { uid: 'UID-1', os_version: '9.00.2', version_code: 2, ver: 20 }
const slots = await osSlots(
  dir,
  () => new Date(),
  async () => 'boot-of-the-writer',
)
await mkdir(join(dir, 'packages'), { recursive: true })
await copyFile(join(dir, 'package.zip'), join(dir, 'packages', 'package.zip'))
process.send?.('begin')
const file = { from: null, name: 'package.zip', size: 1, md5: '', sha256: '' }
const part = { ...file, is_delta: false }
const manifest = { format: 'mdm-os-1' as const, from_uids: [build.uid], ...build, packages: [file] }
const of = { id: `${process.pid}`, manifest, part, place: '/packages/package.zip', confirm_seconds: 600 }
await slots!.write(of, new AbortController().signal)
process.exit(0)
