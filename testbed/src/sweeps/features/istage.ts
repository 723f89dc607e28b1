import { contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { hostileTemplates, templateFile } from '@mdm/server/testing/hostile-templates.ts'
import type { Feature, Things } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    istage_template_kid: string
    istage_config_kid: string
  }
}

const { istageTemplate, opsIstageTemplate, istageConfig } = contract
let last = 0
const fresh = () => `8.${(last += 1)}.0`
const fileOf = (more: object = {}, field: object = {}) => ({
  private_content: Buffer.from(JSON.stringify(templateFile({ version: fresh(), ...more }, field))).toString('base64'),
})
const config = (template_kid: string, more: object = {}) => ({
  name: `Sweep ${(last += 1)}`,
  template_kid,
  private_content: { wifi: [{ ssid: `sweep ${last}` }] },
  status: 'completed' as const,
  ...more,
})

/** Templates and configurations of iStage. */
export const istage: Feature = {
  async make({ call }) {
    const template = await call.istageTemplate.import(fileOf())
    const { kid } = await call.istageConfig.insert(config(template.kid))
    return { istage_template_kid: template.kid, istage_config_kid: kid }
  },
  inputs: (t: Things) => ({
    'istage_template/paging': {},
    'istage_template/get': { kid: t.istage_template_kid },
    'istage_template/import': fileOf(),
    'istage_template/delete': { kid: t.istage_template_kid },
    'ops/istage_template/paging': {},
    'ops/istage_template/get': { kid: t.istage_template_kid },
    'ops/istage_template/import': fileOf(),
    'ops/istage_template/delete': { kid: t.istage_template_kid },
    'istage_config/paging': {},
    'istage_config/get': { kid: t.istage_config_kid },
    'istage_config/insert': config(t.istage_template_kid),
    'istage_config/update': { kid: t.istage_config_kid, ...config(t.istage_template_kid) },
    'istage_config/copy': { kid: t.istage_config_kid, name: `Sweep ${(last += 1)}` },
    'istage_config/delete': { kid: t.istage_config_kid },
    'istage_config/export': { kid: t.istage_config_kid },
  }),
  refusals,
  tables: ['istage_template', 'istage_config'],
}

async function refusals(s: Stage): Promise<Refusals> {
  const { root, operator } = s
  const template = await root.istageTemplate.import(fileOf({}, { pattern: '[a-z0-9 ]+' }))
  // Of a customer whose templates and configurations become as many as there can be.
  const other = s.w.customers[1]!
  const others = await other.istageTemplate.import(fileOf())
  const insert = (more: object = {}) => root.istageConfig.insert(config(template.kid, more))
  /** A configuration whose template has been deleted since. */
  const orphan = async () => {
    const { kid } = await root.istageTemplate.import(fileOf())
    const made = await root.istageConfig.insert(config(kid))
    await root.istageTemplate.delete({ kid })
    return { kid: made.kid, template_kid: kid }
  }
  /** What every draft may be refused for; `of` makes a call's input from it. */
  const drafts = (of: (draft: object) => Promise<object>) => ({
    duplicate_name: async () => {
      const name = s.unique('Taken')
      await insert({ name })
      return of(config(template.kid, { name }))
    },
    template_pattern: () => of(config(template.kid, { private_content: { wifi: [{ ssid: 'UPPER' }] } })),
    template_items_exceeded: () =>
      of(config(template.kid, { private_content: { wifi: [1, 2, 3, 4].map((at) => ({ ssid: `a${at}` })) } })),
    istage_content_exists: async () => {
      const { private_content, ...twin } = config(template.kid)
      await root.istageConfig.insert({ ...twin, private_content })
      return of(config(template.kid, { private_content }))
    },
    file_too_large: () => {
      const half = 'x'.repeat(1_048_576)
      return of(config(template.kid, { private_content: { wifi: [{ ssid: half }, { ssid: half }] } }))
    },
  })
  const calls = istageConfig.calls
  return {
    ...refusalsOf(istageTemplate.calls.import, root, files(s, 'istageTemplate')),
    ...refusalsOf(opsIstageTemplate.calls.import, operator, files(s, 'opsIstageTemplate')),
    ...refusalsOf(calls.insert, root, {
      ...drafts(async (draft) => draft),
      template_deleted: async () => config((await orphan()).template_kid),
      istage_config_max: async () => {
        await fillConfigs(s, others.kid)
        return by(other, config(others.kid))
      },
    }),
    ...refusalsOf(calls.update, root, {
      ...drafts(async (draft) => ({ ...draft, kid: (await insert()).kid })),
      template_deleted: async () => ({ ...config(template.kid), kid: (await orphan()).kid }),
    }),
    ...refusalsOf(calls.copy, root, {
      duplicate_name: async () => {
        const { kid, name } = await insert()
        return { kid, name }
      },
      template_deleted: async () => ({ kid: (await orphan()).kid, name: s.unique('Copy') }),
      istage_config_max: async () => {
        const kid = await fillConfigs(s, others.kid)
        return by(other, { kid, name: s.unique('Copy') })
      },
    }),
    ...refusalsOf(calls.export, root, {
      istage_incomplete: async () => ({ kid: (await insert({ status: 'incomplete' })).kid }),
    }),
  }
}

/** What a file may be refused for, whoever imports it. */
function files(s: Stage, group: 'istageTemplate' | 'opsIstageTemplate') {
  const who = group === 'istageTemplate' ? s.root : s.operator
  const account_kid = group === 'istageTemplate' ? s.w.seed.customers[1]!.account_kid : s.provider_kid
  const hostile = (name: string) => ({
    private_content: hostileTemplates
      .find(([, refused]) => refused === name)![3]()
      .toString('base64'),
  })
  return {
    file_too_large: async () => hostile('file_too_large'),
    template_not_templatejson: async () => hostile('template_not_templatejson'),
    template_regex: async () => hostile('template_regex'),
    template_type_unknown: async () => fileOf({ type: 'toaster' }),
    template_version_format: async () => fileOf({ version: '1' }),
    template_version_exists: async () => {
      const file = fileOf()
      await who[group].import(file)
      return file
    },
    istage_template_max: async () => {
      const { db, clock } = s.deps
      const at = clock.now()
      const rows = Array.from({ length: 500 }, (_, n) => ({
        kid: newKid(),
        account_kid,
        type: 'app' as const,
        kind: 'standard' as const,
        version: `9.9.${n}`,
        name: 'Kept',
        content: JSON.stringify(templateFile()),
        created_by_kid: newKid(),
        created_by: 'Sweep',
        created_at: at,
        updated_at: at,
        imported_at: at,
      }))
      await db.insertInto('istage_template').values(rows).execute()
      return group === 'istageTemplate' ? by(s.w.customers[1]!, fileOf()) : fileOf()
    },
  }
}

/** As many configurations as an account can have; one of them. */
async function fillConfigs(s: Stage, template_kid: string): Promise<string> {
  const { account_kid } = s.w.seed.customers[1]!
  const { db, clock } = s.deps
  const at = clock.now()
  const rows = Array.from({ length: 2_000 }, (_, n) => ({
    kid: newKid(),
    account_kid,
    name: `kept ${(last += 1)} ${n}`,
    description: '',
    type: 'network' as const,
    version: '1.0.0',
    template_kid,
    status: 'incomplete' as const,
    content: '{}',
    content_hash: null,
    created_by_kid: newKid(),
    created_by: 'Sweep',
    created_at: at,
    updated_at: at,
  }))
  for (let from = 0; from < rows.length; from += 500)
    await db
      .insertInto('istage_config')
      .values(rows.slice(from, from + 500))
      .execute()
  return rows[0]!.kid
}
