import { createHash } from 'node:crypto'
import { beyondLimits } from '../apk/source.ts'
import type { ByteSource } from '../apk/source.ts'
import { readMender } from './mender.ts'
import { readRaucb } from './raucb.ts'
import { readSwu } from './swu.ts'

/** What an image for an updater of others says of itself; null and none are what it does not say. */
export type OsImageSays = { version: string | null; hardware: string[] }
/** Agents of hawkBit ask for the SHA-1, which nothing else keeps. */
export type OsImageFacts = OsImageSays & { sha1: string }

const readers = { swu: readSwu, raucb: readRaucb, mender: readMender }
export type OsImageFormat = keyof typeof readers

const piece = 1024 ** 2
const version_max = 100
/** All of it is signed, with that of all other packages of a version. */
const hardware_max = { each: 200, all: 500 }

/** Whether it is an image of this format, and what it says. The images in it are their updater's to judge. Throws ApkError. */
export async function readOsImage(source: ByteSource, format: OsImageFormat): Promise<OsImageFacts> {
  const says = await readers[format](source)
  const version = says.version === null ? '' : plain(says.version).slice(0, version_max)
  const hardware = [...new Set(says.hardware.map(plain))].filter(Boolean)
  if (JSON.stringify(hardware).length > hardware_max.all || hardware.some(({ length }) => length > hardware_max.each))
    throw beyondLimits('it is for too many kinds of devices')
  const hash = createHash('sha1')
  for (let at = 0; at < source.size; at += piece) hash.update(await source.read(at, Math.min(piece, source.size - at)))
  return { version: version || null, hardware, sha1: hash.digest('hex') }
}

const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
