import { readFile } from 'node:fs/promises'
import { readSigner } from '../lib/apk/signer.ts'
import { inMemory } from '../lib/apk/source.ts'
import { blockIds, disguisedApk, realApk, signature, signingBlock, zip } from './apk.ts'
import type { TestEntry } from './apk.ts'
import { lyingZip } from './zip.ts'

const mega = 1024 ** 2
const empty = Buffer.alloc(0)
const zeros = Buffer.alloc(4 * mega)
const many = (count: number, content: Buffer, name = (n: number) => `e${n}`): TestEntry[] =>
  Array.from({ length: count }, (_, n) => ({ name: name(n), content }))

let certificate: Promise<Buffer> | undefined
const signer = () =>
  (certificate ??= readFile(realApk).then(async (bytes) => (await readSigner(inMemory(bytes))).certificate))
const signed = async (more: TestEntry[] = []) => disguisedApk({ certificate: await signer() }, more)
const block = async () => signingBlock([[blockIds.v2, signature(await signer())]])

/** So many empty entries, made at once: they would take a gigabyte one by one. The end record counts `said` of them. */
function crowded(count: number, said: number): Buffer {
  const one = zip({ entries: [{ name: 'entry', content: empty }] })
  const at = one.indexOf(Buffer.from('504b0102', 'hex'))
  const entry = one.subarray(at, one.length - 22)
  const end = Buffer.from(one.subarray(-22))
  end.writeUInt16LE(said, 8)
  end.writeUInt16LE(said, 10)
  end.writeUInt32LE(entry.length * count, 12)
  return Buffer.concat([one.subarray(0, at), Buffer.alloc(entry.length * count, entry), end])
}

/** The real manifest with every eighth byte of it turned round, in an APK that is signed. */
async function scrambled(): Promise<Buffer> {
  const whole = await signed()
  const at = whole.indexOf('AndroidManifest.xml') + 'AndroidManifest.xml'.length
  for (let n = at; n < at + 4_000; n += 8) whole[n] = whole[n]! ^ 0xff
  return whole
}
const split = async (more: TestEntry[]) => zip({ entries: [{ name: 'base.apk', content: await signed() }, ...more] })
const app_manifest = {
  name: 'mdm-app.json',
  content: Buffer.from(JSON.stringify({ package: 'com.acme.till', version: '1', version_code: 1 })),
}
const linux = (...entries: TestEntry[]) => zip({ entries: [app_manifest, ...entries] })
/** A symbolic link, as `zip --symlinks` writes one. */
function linked(): Buffer {
  const whole = linux({ name: 'data', content: Buffer.from('/etc') })
  const second = whole.lastIndexOf(Buffer.from('504b0102', 'hex'))
  whole.writeUInt32LE((0o120777 << 16) >>> 0, second + 38)
  return whole
}
const slips = ['../out', 'a/../../out', '/etc/out', 'a\\out', 'a//out']

/** Packages of apps that were made to harm: what it is, why it is refused, and how the file is made. */
export const hostilePackages: [
  what: string,
  reason: 'invalid' | 'beyond_limits' | 'unsigned',
  make: () => Promise<Buffer> | Buffer,
][] = [
  ['an APK of 100,000 entries', 'beyond_limits', () => zip({ entries: many(100_000, empty) })],
  ['an APK of a million entries that counts three', 'beyond_limits', () => crowded(1_000_000, 3)],
  ['an APK of 100,000 entries that counts three', 'invalid', () => crowded(100_000, 3)],
  ['an APK with 400 MiB of zeros', 'beyond_limits', async () => signed(many(100, zeros, (n) => `classes${n}.dex`))],
  ['an APK with two manifests', 'invalid', async () => signed([{ name: 'AndroidManifest.xml', content: zeros }])],
  [
    'an APK whose entries lie in one another',
    'invalid',
    () => zip({ entries: many(200, Buffer.from('x')).map((entry) => ({ ...entry, claims: { offset: 0 } })) }),
  ],
  [
    'an APK with a manifest of 40 MiB',
    'beyond_limits',
    async () =>
      zip({ entries: [{ name: 'AndroidManifest.xml', content: Buffer.alloc(40 * mega) }], block: await block() }),
  ],
  ['an APK whose manifest is no deflate stream', 'invalid', scrambled],
  [
    'an APK with a signing block of gigabytes',
    'beyond_limits',
    async () => zip({ entries: many(1, zeros), block: signingBlock([], { last: 3_000_000_000n }) }),
  ],
  ['an APK that nobody signed', 'unsigned', () => zip({ entries: [{ name: 'AndroidManifest.xml', content: zeros }] })],
  ['parts in a part', 'invalid', async () => split([{ name: 'config.vi.apk', content: await split([]) }])],
  ['500 parts', 'beyond_limits', async () => split(many(500, Buffer.from('x'), (n) => `config.p${n}.apk`))],
  ['parts of 512 MiB of zeros', 'beyond_limits', async () => split(many(128, zeros, (n) => `config.p${n}.apk`))],
  [
    'a part of 80 MiB of zeros',
    'beyond_limits',
    () => zip({ entries: [{ name: 'base.apk', content: Buffer.alloc(80 * mega) }] }),
  ],
  [
    'a part that would leave its folder',
    'invalid',
    async () => split([{ name: '../config.vi.apk', content: await signed() }]),
  ],
  ...slips.map((name) => [`a zip that writes to ${name}`, 'invalid', () => linux({ name, content: zeros })] as never),
  ['a zip with a link', 'invalid', linked],
  ...(
    [
      ['a device', 0o060644],
      ['a setuid bit', 0o104755],
      ['a pipe', 0o010644],
    ] as const
  ).flatMap(([what, mode]): typeof hostilePackages => [
    [`a zip with ${what}`, 'invalid', () => linux({ name: 'bin/run', content: zeros, mode })],
    [`an APK with ${what}`, 'invalid', () => signed([{ name: 'assets/run', content: zeros, mode }])],
  ]),
  [
    'a zip with a file that is a folder, too',
    'invalid',
    () => linux({ name: 'bin', content: zeros }, { name: 'bin/a/run', content: zeros }),
  ],
  ['a zip with a damaged file', 'invalid', () => linux({ name: 'bin/run', content: zeros, claims: { crc: 7 } })],
  [
    'an APK with a damaged file that nothing is read of',
    'invalid',
    () => signed([{ name: 'assets/a', content: zeros, claims: { crc: 7 } }]),
  ],
  [
    'an APK with a file that is a folder, too',
    'invalid',
    () => signed(['assets/a', 'assets/a/b'].map((name) => ({ name, content: empty }))),
  ],
  [
    'a damaged part of parts',
    'invalid',
    async () => split([{ name: 'config.vi.apk', content: await signed(), claims: { crc: 7 } }]),
  ],
  [
    'a damaged file within a part',
    'invalid',
    async () =>
      split([{ name: 'config.vi.apk', content: await signed([{ name: 'a', content: empty, claims: { crc: 7 } }]) }]),
  ],
  ['a damaged file beside parts', 'invalid', () => split([{ name: 'toc.pb', content: zeros, claims: { crc: 7 } }])],
  ['a zip with a file twice', 'invalid', () => linux(...many(2, empty, () => 'bin/run'))],
  ['a zip of 400 MiB of zeros', 'beyond_limits', () => linux(...many(100, zeros))],
  ['an archive of a million entries', 'beyond_limits', () => crowded(1_000_000, 0xffff)],
  [
    'a zip with an encrypted file',
    'invalid',
    () => lyingZip([app_manifest, { name: 'data', content: Buffer.from('x'), is_encrypted: true }]),
  ],
  [
    'a zip whose manifest is a bomb',
    'beyond_limits',
    () => zip({ entries: [{ name: 'mdm-app.json', content: Buffer.alloc(40 * mega, '{"a":') }] }),
  ],
  [
    'half a Debian package',
    'invalid',
    () => Buffer.from('!<arch>\ndebian-binary   0           0     0     100644  99999999  `\n2.0\n'),
  ],
]
