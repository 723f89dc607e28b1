import type { Language } from '@mdm/contract'
import type { Namespace } from './resources.ts'

/**
 * The catalogue that a file holds: the folder of the texts from `features/` or `shared/` on, so `features/devices/export/texts/vi.ts`
 * is `devices/export` in Vietnamese.
 */
export function catalogueOf(path: string): { namespace: Namespace; language: Language } {
  const found = /^(?:\.{1,2}\/|src\/)(?:features\/|shared\/)?(.+)\/texts\/(en|vi|zh-cn)\.ts$/.exec(path)
  if (!found) throw new Error(`${path} is no catalogue`)
  return { namespace: found[1] as Namespace, language: found[2] as Language }
}
