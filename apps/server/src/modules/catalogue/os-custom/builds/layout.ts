import { join } from 'node:path'
import type { OsBuildBytes, OsBuildInputs } from '@mdm/contract'
import type { OsCustom } from '@mdm/device-link'
import type { Deps } from '../../../../deps.ts'
import type { LayeredFile } from '../../../../lib/os-layers.ts'
import { placeOf } from '../items.ts'

/** Where the bytes of a build lie while it is made: beside the data of the server, and gone when it is over. */
export const folderOf = (deps: Deps, kid: string): string => join(deps.config.data, 'os-builds', kid)
export const packageIn = (folder: string): string => join(folder, 'package.zip')

/** Everything of a customer stands in one folder of the system, so that nothing of the base can be meant by mistake. */
const own = 'DOWNLOAD/custom'

type Copied = OsBuildBytes & { what: string; path: string }
export const layerPath = (folder: string, at: number): string => join(folder, `layer-${at}.zip`)
/** By its digest: what is in it twice is copied once. */
const itemPath = (folder: string, { sha256 }: OsBuildBytes): string => join(folder, `item-${sha256}`)

/** What the first step copies, and where to. */
export const layersOf = ({ bases }: OsBuildInputs, folder: string): Copied[] =>
  bases.map((base, at) => ({ ...base, what: base.file_name, path: layerPath(folder, at) }))

/** What the second step copies. */
export const itemsOf = ({ apps, files, picture }: OsBuildInputs, folder: string): Copied[] =>
  [
    ...apps.map((app) => ({ ...app, what: app.name })),
    ...files.map((file) => ({ ...file, what: file.name })),
    ...(picture ? [{ ...picture, what: picture.name }] : []),
  ].map((item) => ({ ...item, path: itemPath(folder, item) }))

/** These are compressed as they are. */
const packed = /\.(?:apk|apks|xapk|deb|zip|gz|xz|7z|png|jpe?g|webp|mp[34])$/i
const endingOf = (file_name: string): string => /\.[A-Za-z0-9]+$/.exec(file_name)?.[0]?.toLowerCase() ?? ''

/** A package as it is named in the folder of apps: its name is Android's or Debian's, and so safe. */
const appName = ({ package: name, version_code, file_name }: OsBuildInputs['apps'][number]): string =>
  `${name}-${version_code}${endingOf(file_name)}`

/** The entries that are laid over the base, but for the texts. */
export function entriesOf(inputs: OsBuildInputs, folder: string): LayeredFile[] {
  const entry = (name: string, item: OsBuildBytes): LayeredFile => ({
    name: `${own}/${name}`,
    path: itemPath(folder, item),
    size: item.size,
    is_packed: !packed.test(name),
  })
  return [
    ...inputs.apps.map((app) => entry(`apps/${appName(app)}`, app)),
    ...inputs.files.map((file) => entry(`files/${placeOf(file.path, file.name)}`, file)),
    ...(inputs.picture ? [entry('boot.png', inputs.picture)] : []),
  ]
}

/**
 * What the device finds in custom.json (docs/device-link/working.md). Nothing in it changes from one build to the next by itself, so that the
 * same things make the same bytes: its version and its UID are those of the OS version, which the device is told.
 */
export function textsOf(inputs: OsBuildInputs): { name: string; file: string; text: string }[] {
  const { apps, files, picture, configuration } = inputs
  const manifest = {
    format: 'mdm-custom-1',
    name: inputs.name,
    model_code: inputs.model_code,
    base_os_version: inputs.base_os_version,
    apps: apps.map((app) => ({
      file: `apps/${appName(app)}`,
      package: app.package,
      name: app.name,
      version_name: app.version_name,
      version_code: app.version_code,
      size: app.size,
      sha256: app.sha256,
    })),
    files: files.map(({ path, name, size, sha256 }) => ({
      file: `files/${placeOf(path, name)}`,
      target: `/${placeOf(path, name)}`,
      size,
      sha256,
    })),
    picture: picture && { file: 'boot.png', size: picture.size, sha256: picture.sha256 },
    configuration: configuration && { file: 'config.json', left_out: configuration.left_out },
  } satisfies OsCustom
  const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return [
    { name: `${own}/custom.json`, file: 'custom.json', text: text(manifest) },
    ...(configuration ? [{ name: `${own}/config.json`, file: 'config.json', text: text(configuration.sections) }] : []),
  ]
}
