import { readFile } from 'node:fs/promises'
import { isStagingCode, unpackFile } from '@mdm/device-link'
import { isPng } from '../body/png.ts'
import { keepCode, takeEnvelope } from './scan.ts'
import type { StagingDevice, Taken } from './scan.ts'

/** A staging file is at most 1 MB, and a camera's picture larger. */
const most_bytes = 64 * 1_048_576

/** What a file holds: the texts of codes in a picture or in lines, or a whole envelope. */
export async function readScanned(path: string): Promise<{ codes: string[] } | { envelope: Uint8Array }> {
  const bytes = await readFile(path)
  if (bytes.length > most_bytes) throw new Error(`${path} is too large`)
  const envelope = unpackFile(bytes)
  return envelope ? { envelope } : { codes: await codesIn(bytes) }
}

const codesIn = async (bytes: Buffer): Promise<string[]> =>
  isPng(bytes)
    ? (await import('./picture.ts')).codesInPicture(bytes)
    : bytes
        .toString('utf8')
        .split(/\r?\n/)
        .filter((line) => line !== '')

/** Puts scanned texts to those before, and does what they say once a sequence is whole. Undefined as long as none is. */
export async function scanCodes(
  device: StagingDevice,
  codes: readonly string[],
  print: (line: string) => void,
): Promise<Taken | undefined> {
  const staging = codes.filter(isStagingCode)
  if (staging.length === 0) throw new Error('There is no staging code in this picture')
  let taken: Taken | undefined
  for (const text of staging) {
    const { of, missing, envelope } = await keepCode(device.store, text)
    if (of > 1 && missing.length > 0)
      print(`${of - missing.length} of ${of} codes are read; missing: ${missing.join(', ')}`)
    if (envelope) taken = await takeEnvelope(device, envelope, 'code')
  }
  return taken
}

/** What a person at the device is told of it. */
export function linesOf({ name, version, items }: Taken): string[] {
  const said = items.map(({ module, outcome, reason, message }) =>
    [`  ${module}: ${outcome}`, reason, message].filter(Boolean).join(', '),
  )
  return [`${name} ${version}`, ...said]
}

const camera_ms = 300_000

/** Looks through pictures of the camera until a configuration is whole. `shoot` takes one. */
export async function scanWithCamera(
  device: StagingDevice,
  shoot: () => Promise<Buffer>,
  print: (line: string) => void,
): Promise<Taken> {
  const end = device.clock.now().getTime() + camera_ms
  const seen = new Set<string>()
  while (device.clock.now().getTime() < end) {
    device.signal.throwIfAborted()
    const fresh = (await codesIn(await shoot())).filter((text) => isStagingCode(text) && !seen.has(text))
    for (const text of fresh) seen.add(text)
    const taken = fresh.length > 0 ? await scanCodes(device, fresh, print) : undefined
    if (taken) return taken
  }
  throw new Error('The camera has shown no whole configuration; what was read is kept')
}
