import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { cpioOf, menderOf, raucbOf, swuOf, tarOf } from '../../testing/os-images.ts'
import { ApkError, inMemory } from '../apk/source.ts'
import { readOsImage } from './image.ts'
import type { OsImageFormat } from './image.ts'

const read = (bytes: Buffer, format: OsImageFormat) => readOsImage(inMemory(bytes), format)
const fault = (bytes: Buffer, format: OsImageFormat) =>
  read(bytes, format).then(
    () => 'none',
    (error: unknown) =>
      error instanceof ApkError ? `${error.reason}: ${error.message}` : `not ours: ${String(error)}`,
  )
const described = (text: string) => cpioOf([['sw-description', text]])

describe('an image of SWUpdate', () => {
  it('says its version, the revisions that it is for, and its SHA-1', async () => {
    const bytes = swuOf('2.0.1')
    const sha1 = createHash('sha1').update(bytes).digest('hex')
    expect(await read(bytes, 'swu')).toEqual({ version: '2.0.1', hardware: ['1.0', '1.2'], sha1 })
  })

  it('names boards, in libconfig with comments as in JSON', async () => {
    const text = `// of the vendor
      software = { version = "1" /* split */ ".5"; # more
        beagle = { hardware-compatibility: [ "A\\"1" ]; images: ({ filename = "a"; version = "9"; }); } }`
    const json = {
      software: { version: '1.5', beagle: { 'hardware-compatibility': ['A"1'], images: [{ filename: 'a' }] } },
    }
    for (const each of [text, JSON.stringify(json)]) {
      const bytes = cpioOf(
        [
          ['sw-description', each],
          ['sw-description.sig', 's'],
          ['a', 'content'],
        ],
        true,
      )
      expect(await read(bytes, 'swu')).toMatchObject({ version: '1.5', hardware: ['beagle:A"1'] })
    }
  })

  it.each([
    [
      'another file first',
      cpioOf([
        ['app.bin', 'x'],
        ['sw-description', 'software = {}'],
      ]),
      /first file/,
    ],
    ['no archive', Buffer.alloc(4096, 'x'), /not a cpio/],
    ['an empty file', Buffer.alloc(0), /outside of the file/],
    ['cut off', swuOf('1', 'x'.repeat(5000)).subarray(0, 3000), /ends early/],
    [
      'a file that is described and missing',
      described('software = { files: ({ filename = "gone"; }); };'),
      /gone is described/,
    ],
    ['a description of nothing', described('other = {};'), /no software/],
    ['a description that breaks off', described('software = { version = '), /no value/],
    ['a string without end', described('software = { version = "1; }'), /cannot be read/],
    ['settings nested without end', described(`software = ${'{ a = '.repeat(5000)}`), /beyond_limits/],
    [
      'a file twice',
      cpioOf([
        ['sw-description', 'software = {}'],
        ['a', ''],
        ['a', ''],
      ]),
      /called a/,
    ],
  ])('is not one with %s', async (_, bytes, reason) => {
    expect(await fault(bytes, 'swu')).toMatch(reason)
  })

  it('is damaged where a sum is another one', async () => {
    const bytes = cpioOf(
      [
        ['sw-description', 'software = {}'],
        ['a', 'content'],
      ],
      true,
    )
    bytes[bytes.indexOf('content')] = 0x78
    expect(await fault(bytes, 'swu')).toBe('invalid: a is damaged')
  })

  it('cannot name the prototype of anything', async () => {
    const bytes = described('software = { "__proto__" = { version = "1"; }; version = "2"; };')
    expect(await read(bytes, 'swu')).toMatchObject({ version: '2' })
    expect({}).not.toHaveProperty('version')
  })
})

describe('a bundle of RAUC', () => {
  it('says what it is where that is signed with it', async () => {
    const bytes = raucbOf('[update]\ncompatible=Acme Till\nversion=3.1\n\n[bundle]\nformat=verity\n')
    expect(await read(bytes, 'raucb')).toMatchObject({ version: '3.1', hardware: ['Acme Till'] })
    expect(await read(raucbOf(), 'raucb')).toMatchObject({ version: null, hardware: [] })
  })

  it.each([
    ['no squashfs', Buffer.alloc(5000), /does not begin/],
    ['no signature', raucbOf().subarray(0, 4096), /no signature/],
    ['a squashfs that is cut', Buffer.concat([raucbOf().subarray(0, 1000), raucbOf().subarray(4096)]), /ends early/],
    [
      'a signature that is none',
      Buffer.concat([raucbOf().subarray(0, 4096), Buffer.from([0x30, 0, 0, 0, 0, 0, 0, 0, 0, 2])]),
      /no CMS/,
    ],
    ['what is signed is something else', raucbOf('hello'), /no manifest/],
  ])('is not one with %s', async (_, bytes, reason) => {
    expect(await fault(bytes, 'raucb')).toMatch(reason)
  })
})

describe('an artifact of Mender', () => {
  it('says its name and the types of devices that it is for', async () => {
    expect(await read(menderOf('release-9', ['rpi4', 'rpi5']), 'mender')).toMatchObject({
      version: 'release-9',
      hardware: ['rpi4', 'rpi5'],
    })
  })

  it.each([
    ['no tar', Buffer.alloc(1024, 'x'), /not a tar/],
    ['another version', menderOf('a', ['b'], { version: '{"format":"mender","version":1}' }), /no version of Mender/],
    ['another digest', menderOf('a', ['b'], { version: '{"format":"mender","version":2}' }), /digest of version/],
    [
      'no header',
      tarOf([
        ['version', '{"format":"mender","version":3}'],
        ['manifest', ''],
      ]),
      /no header/,
    ],
    ['something else', tarOf([['a', 'b']]), /does not begin/],
    ['a header that grows without end', bomb(), /Cannot create a Buffer larger/],
  ])('is not one with %s', async (_, bytes, reason) => {
    expect(await fault(bytes, 'mender')).toMatch(reason)
  })
})

/** Its header grows to a hundred times what is read of it. */
function bomb(): Buffer {
  const header = gzipSync(Buffer.alloc(100 * 1024 ** 2))
  const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
  const version = '{"format":"mender","version":3}'
  return tarOf([
    ['version', version],
    ['manifest', `${digest(header)}  header.tar.gz\n${digest(version)}  version\n`],
    ['header.tar.gz', header],
    ['data/0000.tar', ''],
  ])
}
