import { errorMessage, isOsOut } from '@mdm/contract'
import type {
  Contract,
  In,
  Language,
  OsBuildBrief,
  OsBuildDetail,
  OsCustomDetail,
  OsCustomRow,
  OsReleaseState,
} from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { refuse } from '../../../refusal.ts'
import { goneOf } from './items.ts'
import { any } from './locked-custom.ts'
import type { BuildRow } from './locked-custom.ts'

type Calls = Contract['osCustom']['calls']

const rowsOf = ({ scope }: Actor) =>
  scope
    .selectFrom('os_custom')
    .innerJoin('oscs_base', 'oscs_base.kid', 'os_custom.base_kid')
    .innerJoin('oscs_model', 'oscs_model.kid', 'oscs_base.model_kid')
    .innerJoin('os_uid', 'os_uid.kid', 'os_custom.uid_kid')
    .innerJoin('os_uid as base_uid', 'base_uid.kid', 'oscs_model.uid_kid')
    .selectAll('os_custom')
    .select(['oscs_base.base_os_version', 'oscs_base.model_kid', 'oscs_model.code as model_code'])
    .select(['os_uid.code as uid_code', 'base_uid.code as base_uid_code'])
type Found = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>
type Built = BuildRow & { release: OsReleaseState | null }

/** Builds of these, newest first, with where their versions stand. */
const buildsOf = ({ scope }: Actor, kids: readonly string[]): Promise<Built[]> =>
  scope
    .selectFrom('os_build')
    .leftJoin('os_version', 'os_version.kid', 'os_build.os_version_kid')
    .selectAll('os_build')
    .select('os_version.state as release')
    .where('os_build.os_custom_kid', '=', any(kids))
    .orderBy('os_build.number', 'desc')
    .limit(20_000)
    .execute()

const brief = ({ inputs: _, ...row }: Built, language: Language): OsBuildBrief => ({
  ...row,
  fault: row.fault && errorMessage(row.fault.name, language, row.fault.details),
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})

function shown(row: Found, builds: readonly Built[], language: Language): OsCustomRow {
  const own = builds.filter(({ os_custom_kid }) => os_custom_kid === row.kid)
  const { apps, files, picture, configuration, created_at, updated_at, ...rest } = row
  return {
    ...rest,
    app_count: apps.length,
    file_count: files.length,
    has_picture: picture !== null,
    configuration_name: configuration?.name ?? null,
    build: own[0] ? brief(own[0], language) : null,
    released: own.filter(({ release }) => release && isOsOut(release)).map(({ os_version }) => os_version),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

export async function paging(actor: Actor, input: In<Calls['paging']>, language: Language) {
  const { text, state, build } = input
  const page = await readPage({
    query: rowsOf(actor)
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(os_custom.name)`, 'like', containing(text!)),
            eb(sql`lower(oscs_model.code)`, 'like', containing(text!)),
            eb(sql`lower(oscs_base.base_os_version)`, 'like', containing(text!)),
          ]),
        ),
      )
      .$if(state !== undefined, (q) => q.where('os_custom.state', '=', state!))
      .$if(build !== undefined, (q) =>
        q.where((eb) =>
          eb.exists(
            eb
              .selectFrom('os_build')
              .select('os_build.kid')
              .whereRef('os_build.os_custom_kid', '=', 'os_custom.kid')
              .whereRef('os_build.number', '=', 'os_custom.build_count')
              .where('os_build.state', '=', build!),
          ),
        ),
      ),
    input,
    columns: {
      updated_at: { ref: sql`os_custom.updated_at`, order: 'desc' },
      created_at: { ref: sql`os_custom.created_at`, order: 'desc' },
      name: { ref: sql`lower(os_custom.name)` },
    },
    key: sql`os_custom.kid`,
  })
  const builds = await buildsOf(
    actor,
    page.items.map(({ kid }) => kid),
  )
  return { ...page, items: page.items.map((row) => shown(row, builds, language)) }
}

export async function get(actor: Actor, kid: string, language: Language): Promise<OsCustomDetail> {
  const row = await rowsOf(actor).where('os_custom.kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  const gone = await goneOf(actor, row)
  const versions = row.apps.flatMap(({ version_kid }) => version_kid ?? [])
  const named = await actor.deps.db
    .selectFrom('app_version')
    .select(['kid', 'version_name'])
    .where('kid', '=', any(versions))
    .execute()
  const { picture, configuration } = row
  return {
    ...shown(row, await buildsOf(actor, [kid]), language),
    model_kid: row.model_kid,
    apps: row.apps.map((app) => ({
      ...app,
      version_name: named.find((one) => one.kid === app.version_kid)?.version_name ?? null,
      is_gone: gone.apps.has(app.app_kid),
    })),
    files: row.files.map((file) => ({ ...file, is_gone: gone.files.has(file.file_kid) })),
    configuration: configuration && { ...configuration, is_gone: gone.configuration },
    picture: picture && {
      ...picture,
      url: actor.deps.signFile(picture.object, { name: picture.name, content_type: 'image/png' }),
    },
  }
}

export async function listBuilds(actor: Actor, kid: string, language: Language): Promise<OsBuildBrief[]> {
  const found = await actor.scope.selectFrom('os_custom').select('kid').where('kid', '=', kid).executeTakeFirst()
  if (!found) return refuse('not_found')
  return (await buildsOf(actor, [kid])).slice(0, 100).map((build) => brief(build, language))
}

export async function getBuild(actor: Actor, kid: string, language: Language): Promise<OsBuildDetail> {
  const build = await actor.scope
    .selectFrom('os_build')
    .leftJoin('os_version', 'os_version.kid', 'os_build.os_version_kid')
    .selectAll('os_build')
    .select('os_version.state as release')
    .where('os_build.kid', '=', kid)
    .executeTakeFirst()
  if (!build) return refuse('not_found')
  const lines = await actor.scope
    .selectFrom('os_build_line')
    .select(['at', 'step', 'event', 'details'])
    .where('os_build_kid', '=', kid)
    .orderBy('kid')
    .limit(1_000)
    .execute()
  const { name, configuration, ...inputs } = build.inputs
  return {
    ...brief(build, language),
    os_custom_kid: build.os_custom_kid,
    name,
    contents: {
      ...inputs,
      file_name: build.file_name,
      configuration: configuration && { ...configuration, sections: Object.keys(configuration.sections) },
    },
    lines: lines.map(({ at, ...line }) => ({ ...line, at: at.toISOString() })),
  }
}

/** Base versions whose packages were all found sound. They are the provider's, and every customer's to choose from. */
export async function listBases({ deps }: Actor) {
  const { rows } = await sql<{
    kid: string
    model_kid: string
    model_code: string
    model_name: string
    base_os_version: string
  }>`
    SELECT b.kid, b.model_kid, m.code AS model_code, m.name AS model_name, b.base_os_version
    FROM oscs_base b JOIN oscs_model m ON m.kid = b.model_kid
    WHERE 3 = (SELECT count(*) FROM oscs_file f WHERE (f.base_kid = b.kid OR f.model_kid = m.kid) AND f.state = 'ready')
    ORDER BY lower(m.code), b.created_at DESC, b.kid LIMIT 1000
  `.execute(deps.db)
  return rows
}

/** Of groups within reach. */
export async function listConfigurations({ scope, visible_groups }: Actor) {
  const rows = await scope
    .selectFrom('configuration')
    .leftJoin('terminal_group', 'terminal_group.kid', 'configuration.terminal_group_kid')
    .select(['configuration.kid', 'configuration.name', 'configuration.type', 'configuration.version'])
    .select('terminal_group.name as terminal_group_name')
    .where('configuration.ltscope', 'in', [20, 30])
    .where('configuration.type', 'in', [1, 2])
    .where('configuration.section_count', '>', 0)
    .$if(visible_groups !== undefined, (q) =>
      q.where(({ or, eb }) =>
        or([
          eb('configuration.terminal_group_kid', 'is', null),
          eb('configuration.terminal_group_kid', 'in', [...visible_groups!]),
        ]),
      ),
    )
    .orderBy('configuration.ltscope')
    .orderBy('configuration.type')
    .orderBy('terminal_group.name')
    .limit(500)
    .execute()
  return rows
}
