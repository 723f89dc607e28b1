import type { AppSetting } from '@mdm/contract'
import type { ManagedEntry } from '@mdm/contract/config/apps.ts'

/** Packages that something is set of, in the order of their first setting. */
export const packagesOf = (entries: readonly ManagedEntry[]): string[] => [
  ...new Set(entries.map((one) => one.package)),
]

type Key = Pick<ManagedEntry, 'package' | 'key'>
const isOf =
  (key: Key) =>
  (entry: ManagedEntry): boolean =>
    entry.package === key.package && entry.key === key.key

/** The entries with this setting as it is given; without it where `value` is undefined or empty. Others keep their places. */
export function withSetting(
  entries: readonly ManagedEntry[],
  { value, ...setting }: Key & { kind: ManagedEntry['kind']; value: string | undefined },
): ManagedEntry[] {
  const is_there = entries.some(isOf(setting))
  if (value === undefined || value === '') return entries.filter((entry) => !isOf(setting)(entry))
  const next = { ...setting, value }
  if (is_there) return entries.map((entry) => (isOf(setting)(entry) ? next : entry))
  const last = entries.findLastIndex((entry) => entry.package === setting.package)
  return last < 0 ? [...entries, next] : entries.toSpliced(last + 1, 0, next)
}

export const valueOf = (entries: readonly ManagedEntry[], key: Key): string | undefined =>
  entries.find(isOf(key))?.value

/** What can be written into a configuration. */
export const isSettable = (setting: AppSetting): setting is AppSetting & { kind: ManagedEntry['kind'] } =>
  setting.kind !== 'nested'
