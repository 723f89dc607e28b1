import { configSectionKeys, ltscopes, osCustomLimits } from '@mdm/contract'
import type { Contract, In, OsBuildInputs, OscsFileKind } from '@mdm/contract'
import { configSections, sectionOf } from '@mdm/contract/config/sections.ts'
import { fileNameKey } from '@mdm/contract/file-names.ts'
import type { Actor } from '../../../actor.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { appsToPush } from '../../store/app-offer/index.ts'
import { ownersOf } from '../../store/file-cloud/index.ts'
import { holdsSecrets } from '../../../lib/sealed-values.ts'
import { any } from './locked-custom.ts'
import type { CustomRow, Db } from './locked-custom.ts'

type Draft = Pick<In<Contract['osCustom']['calls']['insert']>, 'apps' | 'files' | 'configuration_kid'>

const filesOf = async (actor: Actor, kids: readonly string[]) =>
  actor.deps.db
    .selectFrom('file_cloud')
    .select(['kid', 'name', 'object', 'size', 'sha256'])
    .where('kid', '=', any(kids))
    .where('account_kid', '=', any(await ownersOf(actor.deps.db, actor)))
    .where('is_folder', '=', false)
    .execute()

/** A configuration of the account or of one of its groups. */
export const configurationOf = ({ scope }: Actor, kid: string) =>
  scope
    .selectFrom('configuration')
    .leftJoin('terminal_group', 'terminal_group.kid', 'configuration.terminal_group_kid')
    .select(['configuration.kid', 'configuration.name', 'configuration.type', 'configuration.version'])
    .select(['configuration.ltscope', 'configuration.terminal_group_kid', 'terminal_group.name as group_name'])
    .where('configuration.kid', '=', kid)
    .where('configuration.ltscope', 'in', [ltscopes.account, ltscopes.group])
    .executeTakeFirst()
type Configuration = NonNullable<Awaited<ReturnType<typeof configurationOf>>>

/** As people call one that has no name of its own. */
export const titleOf = ({ name, type, group_name }: Pick<Configuration, 'name' | 'type' | 'group_name'>): string =>
  name || `${type}${group_name ? ` · ${group_name}` : ''}`

/**
 * What is chosen, with the names that it has now: a build that misses it can say what it is that is gone. Whether an app may be
 * built in is asked when it is chosen and again when it is built. @throws `os_custom_item_gone`, `os_custom_twice`
 */
export async function namedItems(actor: Actor, { apps, files, configuration_kid }: Partial<Draft>) {
  const configuration = configuration_kid ? await configurationOf(actor, configuration_kid) : undefined
  if (configuration_kid && !configuration) refuse('os_custom_item_gone', { name: configuration_kid })
  return {
    ...(apps && { apps: JSON.stringify(await namedApps(actor, apps)) }),
    ...(files && { files: JSON.stringify(await namedFiles(actor, files)) }),
    ...(configuration_kid !== undefined && {
      configuration: configuration ? JSON.stringify({ kid: configuration.kid, name: titleOf(configuration) }) : null,
    }),
  }
}

async function namedApps(actor: Actor, apps: Draft['apps']): Promise<CustomRow['apps']> {
  const named: CustomRow['apps'] = []
  for (const chosen of apps) {
    const [app] = await pushed(actor, [{ ...chosen, name: chosen.app_kid }]).then((all) =>
      all.filter(({ app_kid }) => app_kid === chosen.app_kid),
    )
    if (named.some(({ app_kid }) => app_kid === chosen.app_kid)) refuse('os_custom_twice', { name: app!.name })
    named.push({ ...chosen, name: app!.name })
  }
  return named
}

async function namedFiles(actor: Actor, files: Draft['files']): Promise<CustomRow['files']> {
  const rows = await filesOf(
    actor,
    files.map(({ file_kid }) => file_kid),
  )
  const places = new Set<string>()
  return files.map(({ file_kid, path }) => {
    const name = rows.find(({ kid }) => kid === file_kid)?.name ?? refuse('os_custom_item_gone', { name: file_kid })
    const place = placeOf(path, name)
    if (places.has(fileNameKey(place))) refuse('os_custom_twice', { name: place })
    places.add(fileNameKey(place))
    return { file_kid, path, name }
  })
}

/** Where a file stands on a device: /sdcard//a/./ and b.txt make sdcard/a/b.txt. */
export const placeOf = (path: string, name: string): string =>
  [...path.split('/').filter((step) => step !== '' && step !== '.'), name].join('/')

/** Apps as a push takes them, with what they need: what is gone is told by the name that it had. */
async function pushed(actor: Actor, apps: CustomRow['apps']) {
  try {
    return await appsToPush(
      actor,
      apps.map(({ app_kid, version_kid }) => ({ app_kid, ...(version_kid !== null && { version_kid }) })),
    )
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal !== 'not_found') throw error
    // Which of them it was is asked one by one: it happens seldom.
    for (const app of apps)
      if (apps.length === 1 || (await isGone(actor, app))) refuse('os_custom_item_gone', { name: app.name })
    throw error
  }
}
const isGone = (actor: Actor, { app_kid, version_kid }: CustomRow['apps'][number]): Promise<boolean> =>
  appsToPush(actor, [{ app_kid, ...(version_kid !== null && { version_kid }) }]).then(
    () => false,
    (error: unknown) => error instanceof Refusal && error.refusal === 'not_found',
  )

/** Which of the chosen things cannot be built in any more. */
export async function goneOf(actor: Actor, row: Pick<CustomRow, 'apps' | 'files' | 'configuration'>) {
  const apps = new Set<string>()
  for (const app of row.apps) if (await isGone(actor, app)) apps.add(app.app_kid)
  const found = await filesOf(
    actor,
    row.files.map(({ file_kid }) => file_kid),
  )
  const there = new Set(found.map(({ kid }) => kid))
  return {
    apps,
    files: new Set(row.files.map(({ file_kid }) => file_kid).filter((kid) => !there.has(kid))),
    configuration: row.configuration !== null && !(await configurationOf(actor, row.configuration.kid)),
  }
}

export type Base = {
  kid: string
  model_kid: string
  base_os_version: string
  version_code: number
  model_code: string
  base_uid_kid: string
}
/** A base version whose packages were all found sound. @throws `oscs_base_not_ready` */
export async function readyBase(trx: Db, kid: string): Promise<Base> {
  const base = await trx
    .selectFrom('oscs_base')
    .innerJoin('oscs_model', 'oscs_model.kid', 'oscs_base.model_kid')
    .select(['oscs_base.kid', 'oscs_base.model_kid', 'base_os_version', 'version_code'])
    .select(['oscs_model.code as model_code', 'oscs_model.uid_kid as base_uid_kid'])
    .where('oscs_base.kid', '=', kid)
    .forShare(['oscs_base', 'oscs_model'])
    .executeTakeFirst()
  if (!base || (await baseFiles(trx, base)).length < layers.length) return refuse('oscs_base_not_ready')
  return base
}

/** Laid over each other in this order. */
const layers: readonly OscsFileKind[] = ['sum', 'os', 'config']
async function baseFiles(trx: Db, { kid, model_kid }: Pick<Base, 'kid' | 'model_kid'>) {
  const rows = await trx
    .selectFrom('oscs_file')
    .select(['kind', 'file_name', 'object', 'size', 'sha256'])
    .where((eb) => eb.or([eb('base_kid', '=', kid), eb('model_kid', '=', model_kid)]))
    .where('state', '=', 'ready')
    .execute()
  return layers.flatMap((kind) => rows.filter((row) => row.kind === kind))
}

type Items = Pick<OsBuildInputs, 'apps' | 'files' | 'picture' | 'configuration'>

/** What a customer puts into a build, as it is now. @throws what is missing, by its name */
export async function itemsOf(actor: Actor, row: CustomRow): Promise<Items> {
  const apps = row.apps.length === 0 ? [] : await pushed(actor, row.apps)
  const files = await filesOf(
    actor,
    row.files.map(({ file_kid }) => file_kid),
  )
  const owners = new Map(
    (
      await actor.deps.db
        .selectFrom('app')
        .select(['kid', 'account_kid'])
        .where('kid', '=', any(apps.map(({ app_kid }) => app_kid)))
        .execute()
    ).map(({ kid, account_kid }) => [kid, account_kid]),
  )
  const items: Items = {
    apps: apps.map((app) => ({
      app_kid: app.app_kid,
      version_kid: app.version_kid,
      package: app.package,
      name: app.name,
      version_name: app.version_name,
      version_code: app.version_code,
      kind: app.kind,
      file_name: app.file_name,
      object: app.object,
      size: app.size,
      sha256: app.sha256,
      is_inherited: owners.get(app.app_kid) !== actor.account_kid,
    })),
    files: row.files.map(({ file_kid, path, name: old }) => {
      const file = files.find(({ kid }) => kid === file_kid) ?? refuse('os_custom_item_gone', { name: old })
      const { name, object, size, sha256 } = file
      return { file_kid, name, path, object: object!, size, sha256 }
    }),
    picture: row.picture && {
      name: row.picture.name,
      object: row.picture.object,
      size: row.picture.size,
      sha256: row.picture.sha256,
    },
    configuration: row.configuration && (await configurationInputs(actor, row.configuration)),
  }
  const places = items.files.map(({ path, name }) => fileNameKey(placeOf(path, name)))
  const twice = places.find((place, at) => places.indexOf(place) !== at)
  if (twice !== undefined) refuse('os_custom_twice', { name: twice })
  return items
}

/** Everything that a build is made of. @throws `os_custom_too_large` */
export async function inputsOf(
  trx: Db,
  name: string,
  base: Base,
  uid_code: string,
  items: Items,
): Promise<OsBuildInputs> {
  const { model_code, base_os_version } = base
  const inputs = { name, model_code, uid_code, base_os_version, bases: await baseFiles(trx, base), ...items }
  const bytes = [...inputs.bases, ...inputs.apps, ...inputs.files].reduce((sum, { size }) => sum + size, 0)
  if (bytes > osCustomLimits.input_bytes)
    refuse('os_custom_too_large', { size: bytesText(bytes), max: bytesText(osCustomLimits.input_bytes) })
  return inputs
}

/** What devices are given of it. Secrets stay where they are sealed: a package is read by whoever gets hold of it. */
async function configurationInputs(
  actor: Actor,
  { kid, name }: NonNullable<CustomRow['configuration']>,
): Promise<OsBuildInputs['configuration']> {
  const found = (await configurationOf(actor, kid)) ?? refuse('os_custom_item_gone', { name })
  const keys = configSectionKeys.filter(
    (key) => configSections[key].type === found.type && !sectionOf(key).is_for_console,
  )
  const rows = await actor.scope
    .selectFrom('terminal_config')
    .select(['section', 'value'])
    .where('ltscope', '=', found.ltscope)
    .$if(found.terminal_group_kid !== null, (q) => q.where('terminal_group_kid', '=', found.terminal_group_kid!))
    .where('section', 'in', keys)
    .orderBy('section')
    .execute()
  const plain = rows.filter(({ value }) => !holdsSecrets(value))
  return {
    kid,
    name: titleOf(found),
    version: found.version,
    sections: Object.fromEntries(plain.map(({ section, value }) => [section, value])),
    left_out: rows.filter(({ value }) => holdsSecrets(value)).map(({ section }) => section),
  }
}
