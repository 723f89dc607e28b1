import type { Value } from './chunks.ts'
import { ApkError, invalid } from './source.ts'
import { attributes as ids, elementsIn, numberOf } from './xml.ts'
import type { Element } from './xml.ts'

/** What a manifest says of its program. A text may stand in the resources: then it is a value to be looked up. */
export type Manifest = {
  package: string | undefined
  /** The part that this is of a program in several; undefined of a whole one and of the base. */
  split: string | undefined
  version_code: number | undefined
  version_name: string | Value | undefined
  min_sdk: number | undefined
  target_sdk: number | undefined
  permissions: string[]
  label: string | Value | undefined
  icon: Value | undefined
  /** The file in which the program says what can be set of it from outside. */
  restrictions: Value | undefined
}

const permissions_max = 1_000
const restrictions_name = 'android.content.APP_RESTRICTIONS'

/** Reads AndroidManifest.xml as it stands in a package, in Android's binary XML. Throws ApkError. */
export function readManifest(bytes: Buffer): Manifest {
  const found: Manifest = {
    package: undefined,
    split: undefined,
    version_code: undefined,
    version_name: undefined,
    min_sdk: undefined,
    target_sdk: undefined,
    permissions: [],
    label: undefined,
    icon: undefined,
    restrictions: undefined,
  }
  const permissions = new Set<string>()
  let is_application = false
  for (const { depth, read } of elementsIn(bytes)) {
    // The manifest itself and what stands directly in it: what is deeper describes parts of the program, and may be broken.
    if (depth === 1) readRoot(read(), found)
    if (depth === 2) is_application = readChild(read(), found, permissions) === 'application'
    if (depth === 3 && is_application) found.restrictions ??= restrictionsOf(read)
    if (permissions.size > permissions_max) throw invalid('too many permissions')
  }
  return { ...found, permissions: [...permissions] }
}

function readRoot({ name, attribute, named }: Element, found: Manifest): void {
  if (name !== 'manifest') throw invalid('not a manifest')
  found.package = named('package')
  found.split = named('split')
  found.version_name = attribute(ids.version_name)
  const code = numberOf(attribute(ids.version_code))
  const major = numberOf(attribute(ids.version_code_major)) ?? 0
  const whole = code === undefined ? undefined : major * 2 ** 32 + code
  if (Number.isSafeInteger(whole)) found.version_code = whole
}

function readChild({ name, attribute }: Element, found: Manifest, permissions: Set<string>): string | undefined {
  if (name === 'uses-sdk') {
    found.min_sdk = numberOf(attribute(ids.min_sdk))
    found.target_sdk = numberOf(attribute(ids.target_sdk))
  }
  if (name === 'uses-permission' || name === 'uses-permission-sdk-23') {
    const permission = attribute(ids.name)
    if (typeof permission === 'string' && permission !== '') permissions.add(permission.slice(0, 200))
  }
  if (name === 'application') {
    const icon = attribute(ids.icon)
    found.label = attribute(ids.label)
    found.icon = typeof icon === 'object' ? icon : undefined
  }
  return name
}

/** Whatever is wrong with a part of the program, the rest of the manifest can be read. */
function restrictionsOf(read: () => Element): Value | undefined {
  try {
    const { name, attribute } = read()
    if (name !== 'meta-data' || attribute(ids.name) !== restrictions_name) return undefined
    const resource = attribute(ids.resource)
    return typeof resource === 'object' ? resource : undefined
  } catch (error) {
    if (error instanceof ApkError || error instanceof RangeError) return undefined
    throw error
  }
}
