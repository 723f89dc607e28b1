import type { Entry } from 'yauzl'

/** One APK of a package in several, and which devices it is for; without a word of that, for all. */
export type Split = {
  /** Its name in the archive. */
  file: string
  is_base: boolean
  abi: string | null
  density: string | null
  language: string | null
}

export const abis = ['arm64-v8a', 'armeabi-v7a', 'armeabi', 'x86_64', 'x86', 'riscv64', 'mips64', 'mips'] as const
const densities = /^(?:ldpi|mdpi|tvdpi|hdpi|xhdpi|xxhdpi|xxxhdpi)$/
const language = /^[a-z]{2,3}$/

export const nameOf = (entry: Entry): string => entry.fileNameRaw.toString('latin1')

/** A name that can be told to devices: they open it in the archive, and must not be led anywhere else by it. */
export const isGoodPart = (name: string): boolean =>
  name.length <= 200 && /^[\w .()+-]+(?:\/[\w .()+-]+)*$/.test(name) && !/(?:^|\/)\.\.?(?:\/|$)/.test(name)

/** What a configuration is called, in a manifest (`config.arm64_v8a`, `maps.config.xhdpi`) as in names of files. */
function meant(config: string): Pick<Split, 'abi' | 'density' | 'language'> | undefined {
  const abi = abis.find((each) => each.replace('-', '_') === config.toLowerCase().replace('-', '_')) ?? null
  const density = densities.test(config) ? config : null
  if (abi ?? density) return { abi, density, language: null }
  return language.test(config) ? { abi: null, density: null, language: config } : undefined
}
const none = { abi: null, density: null, language: null }

/** Of a part that says in its manifest which split it is. A feature, and what no device is told apart by, is for all. */
export function splitOf(file: string, split: string): Split {
  const [, config] = /(?:^|\.)config\.([^.]+)$/.exec(split) ?? []
  return { file, is_base: false, ...none, ...(config === undefined ? {} : meant(config)) }
}

/** By what tools call the files: split_config.arm64_v8a.apk, config.vi.apk, base-xhdpi.apk, base-en_2.apk. */
export function splitNamed(file: string): Split | undefined {
  const [, config] = /(?:^|[/.\-_])(?:config\.|base-|split_config\.)([A-Za-z0-9_-]+?)(?:_\d)?\.apk$/i.exec(file) ?? []
  const known = config === undefined || config === 'master' ? undefined : meant(config)
  return known && { file, is_base: false, ...known }
}
