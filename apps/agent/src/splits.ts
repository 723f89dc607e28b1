import type { SplitOfApp } from '@mdm/device-link'
import { TaskFailure } from './body/body.ts'

/** What of a device decides which APKs of a package it needs. */
export type SplitDevice = {
  /** The best first. */
  abis: readonly string[]
  /** Dots per inch. */
  density: number
  /** Languages of the system, without regions. */
  languages: readonly string[]
}

const dpi = { ldpi: 120, mdpi: 160, tvdpi: 213, hdpi: 240, xhdpi: 320, xxhdpi: 480, xxxhdpi: 640 } as const
/** Android keeps the names that these languages had once. */
const older: Readonly<Record<string, string>> = { he: 'iw', id: 'in', yi: 'ji', fil: 'tl' }

/**
 * The APKs that are installed together: the base, what is for every device, and of the rest the best ABI, the nearest
 * density that is not coarser, and the languages of the system. Other languages' texts are in the base or in none.
 * @throws TaskFailure `abi` where there are ABIs and none is the device's
 */
export function chooseSplits(splits: readonly SplitOfApp[], device: SplitDevice, title: string): SplitOfApp[] {
  const abis = new Set(splits.flatMap(({ abi }) => abi ?? []))
  const abi = device.abis.find((each) => abis.has(each))
  if (abis.size > 0 && abi === undefined)
    throw new TaskFailure('abi', `${title} is for ${[...abis].join(', ')}, this device is ${device.abis[0]}`)
  const finest = splits.flatMap(({ density }) => density ?? []).toSorted((a, b) => dpi[a] - dpi[b])
  const density = finest.find((each) => dpi[each] >= device.density) ?? finest.at(-1)
  const languages = new Set(device.languages.flatMap((each) => [each, older[each] ?? each]))
  return splits.filter(
    (split) =>
      (split.abi === undefined || split.abi === abi) &&
      (split.density === undefined || split.density === density) &&
      (split.language === undefined || languages.has(split.language)),
  )
}
