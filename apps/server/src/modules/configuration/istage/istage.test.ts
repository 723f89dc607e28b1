import { contract, errors, fieldFaults, istageLimits } from '@mdm/contract'
import type { Call, Envelope, IstageConfig, IstageContent, IstageTemplate } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { hostileTemplates, templateFile } from '../../../testing/hostile-templates.ts'

const { istageTemplate, opsIstageTemplate, istageConfig } = contract
const [templates, ops, configs] = [istageTemplate.calls, opsIstageTemplate.calls, istageConfig.calls]

let api: TestApi
let [own, other, sub]: { token: string }[] = []
beforeAll(async () => {
  api = await testApi()
  own = await api.person(1, api.acme.kid, 'acme.istage', ['istage*', 'deviceList'])
  other = await api.person(1, api.globex.kid, 'globex.istage', ['istage*'])
  sub = await api.person(2, api.acme_sub.kid, 'sub.istage', ['istage*'])
})
afterAll(async () => {
  expect(api.internal_errors).toEqual([])
  await api.close()
})

const nameOf = (result: number) => Object.entries(errors).find(([, entry]) => entry.result === result)?.[0] ?? result
type Told = { fields?: Record<string, string> } | null
async function refused(call: Call, input: object, as: { token: string }) {
  const { result, data, message } = (await api.call(call, input, { token: as.token })) as Envelope & { data: Told }
  return { name: nameOf(result), message, fields: data?.fields ?? {} }
}
const refusal = async (call: Call, input: object, as = own!) => (await refused(call, input, as)).name
async function done<T>(call: Call, input: object, as: { token: string } = own!): Promise<T> {
  const { result, data, message } = await api.call(call, input, { token: as.token })
  expect([result, message]).toEqual([1, expect.any(String)])
  return data as T
}
const base64 = (bytes: Buffer | object) =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(JSON.stringify(bytes))).toString('base64')
const imported = (file: object, as = own!) =>
  done<IstageTemplate>(templates.import, { private_content: base64(file) }, as)

let last = 0
const version = () => `7.0.${(last += 1)}`
const draft = (template_kid: string, content: IstageContent, more: object = {}) => ({
  name: `Configuration ${(last += 1)}`,
  template_kid,
  private_content: content,
  status: 'completed',
  ...more,
})
const insert = (template_kid: string, content: IstageContent, more: object = {}) =>
  done<IstageConfig>(configs.insert, draft(template_kid, content, more))

describe('templates', () => {
  it('are imported with type, version and times, listed, searched, read and deleted', async () => {
    const at = version()
    const row = await imported(templateFile({ version: at, name: 'Depot network' }))
    expect(row).toMatchObject({ name: 'Depot network', type: 'network', kind: 'standard', version: at, is_own: true })
    expect(row).toMatchObject({ module_count: 1, imported_at: row.updated_at })
    const list = await done<{ items: IstageTemplate[] }>(templates.paging, { text: 'depot NET', type: 'network' })
    expect(list.items.map(({ kid }) => kid)).toEqual([row.kid])
    const none = await done<{ items: IstageTemplate[] }>(templates.paging, { text: 'depot net', kind: 'custom' })
    expect(none.items).toEqual([])
    const whole = await done<{ template: { modules: object[] } }>(templates.get, { kid: row.kid })
    expect(whole.template.modules[0]).toMatchObject({ key: 'wifi', fields: [{ key: 'ssid', max_length: 255 }] })
    await done(templates.delete, { kid: row.kid })
    expect(await refusal(templates.get, { kid: row.kid })).toBe('not_found')
    expect(await refusal(templates.delete, { kid: row.kid })).toBe('not_found')
  })

  it.each([
    ['standard', '3.0.3', null],
    ['standard', '3.0.3.1_ab', 'template_version_format'],
    ['standard', '3.0', 'template_version_format'],
    ['custom', '3.0.3.1_ab', null],
    ['custom', '3.0.3', 'template_version_format'],
    ['custom', '3.0.3.1_', 'template_version_format'],
  ])('a %s one of version %s: %s', async (kind, of, name) => {
    const call = { private_content: base64(templateFile({ kind, version: of, type: 'scanner' })) }
    if (name) expect(await refusal(templates.import, call)).toBe(name)
    else expect(await done<IstageTemplate>(templates.import, call)).toMatchObject({ kind, version: of })
  })

  it('of an unknown type are refused', async () => {
    expect(await refusal(templates.import, { private_content: base64(templateFile({ type: 'toaster' })) })).toBe(
      'template_type_unknown',
    )
  })

  it('have each version of a type once, until it is deleted', async () => {
    const file = templateFile({ version: version() })
    const row = await imported(file)
    expect(await refusal(templates.import, { private_content: base64(file) })).toBe('template_version_exists')
    await imported({ ...file, type: 'keys' })
    await imported(file, other!)
    await done(templates.delete, { kid: row.kid })
    await imported(file)
  })

  it('of the provider are seen by every customer, and changed by none', async () => {
    const file = templateFile({ version: version(), name: 'Of the provider' })
    const row = await done<IstageTemplate>(ops.import, { private_content: base64(file) }, api.operator)
    for (const who of [own!, other!, sub!]) {
      const { items } = await done<{ items: IstageTemplate[] }>(templates.paging, { text: 'of the prov' }, who)
      expect(items.map(({ kid, is_own }) => [kid, is_own])).toEqual([[row.kid, false]])
      expect(await refusal(templates.delete, { kid: row.kid }, who)).toBe('not_found')
      expect(await refusal(templates.import, { private_content: base64(file) }, who)).toBe('template_version_exists')
    }
    const mine = await imported(templateFile({ version: version(), name: 'Mine alone' }))
    expect(await refusal(templates.get, { kid: mine.kid }, other)).toBe('not_found')
    const listed = await done<{ items: IstageTemplate[] }>(ops.paging, { text: 'mine alone' }, api.operator)
    expect(listed.items).toEqual([])
    expect(await refusal(ops.paging, {}, own)).toBe('no_permission')
    await done(ops.delete, { kid: row.kid }, api.operator)
  })

  it.each(hostileTemplates)('%s is refused as %s (%s), soon', async (_, name, told, make) => {
    const begun = performance.now()
    const reply = await refused(templates.import, { private_content: base64(make()) }, own!)
    expect(performance.now() - begun).toBeLessThan(3_000)
    const shown = Object.values(reply.fields).join('\n')
    expect(reply).toMatchObject({ name })
    if (told) expect(shown).toContain(faultText(told))
    expect(shown.length + reply.message.length).toBeLessThan(100_000)
    expect(({} as { kind?: string }).kind).toBeUndefined()
  })

  it('with a regular expression that backtracks for ever elsewhere take no time at all', async () => {
    const { kid } = await imported(templateFile({ version: version() }, { pattern: '(a+)+$', max_length: 4_000 }))
    const begun = performance.now()
    const content = { wifi: [{ ssid: `${'a'.repeat(3_999)}!` }] }
    expect(await refusal(configs.insert, draft(kid, content))).toBe('template_pattern')
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  it('bound what one check may match', async () => {
    const modules = [
      {
        key: 'rows',
        title: 'Rows',
        max_objects: 100,
        fields: [{ key: 'a', title: 'A', kind: 'text', pattern: '\\pL{1,500}[^x]{0,40}', max_length: 4_000 }],
      },
    ]
    const { kid } = await imported(templateFile({ version: version(), modules }))
    const rows = Array.from({ length: 100 }, () => ({ a: 'é'.repeat(500) }))
    const begun = performance.now()
    const reply = await refused(configs.insert, draft(kid, { rows }), own!)
    expect(reply.name).toBe('bad_input')
    expect(Object.keys(reply.fields)).toEqual(['private_content'])
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})

const faultText = (name: string): string => fieldFaults[name as keyof typeof fieldFaults].en.split('{')[0]!

describe('configurations', () => {
  let template: IstageTemplate
  beforeAll(async () => {
    template = await imported(templateFile({ version: version() }, { pattern: '[a-z0-9]+', is_required: true }))
  })

  it('are made, listed, changed, exported and deleted', async () => {
    const row = await insert(template.kid, { wifi: [{ ssid: 'depot1' }] }, { description: 'd' })
    expect(row).toMatchObject({ type: 'network', version: template.version, status: 'completed', description: 'd' })
    expect(row).toMatchObject({ template_name: 'Test', is_template_deleted: false, created_by: 'Name of acme.istage' })
    const list = await done<{ items: IstageConfig[] }>(configs.paging, { text: row.name, status: 'completed' })
    expect(list.items).toEqual([row])
    const content = { wifi: [{ ssid: 'depot2', Batch: '7' }] }
    const changed = await done<IstageConfig>(configs.update, {
      kid: row.kid,
      ...draft(template.kid, content, { name: 'Renamed' }),
    })
    expect(changed).toMatchObject({ kid: row.kid, name: 'Renamed', created_at: row.created_at })
    expect(await done(configs.get, { kid: row.kid })).toMatchObject({ content, template: { name: 'Test' } })
    expect(await done(configs.export, { kid: row.kid })).toEqual({
      file_name: `Renamed-network-${template.version}.json`,
      private_file: {
        istage: 1,
        name: 'Renamed',
        description: 'd',
        type: 'network',
        version: template.version,
        content,
      },
    })
    await done(configs.delete, { kid: row.kid })
    for (const call of [configs.get, configs.delete, configs.export])
      expect(await refusal(call, { kid: row.kid })).toBe('not_found')
  })

  it('are of one account alone', async () => {
    const row = await insert(template.kid, { wifi: [{ ssid: 'private' }] })
    for (const call of [configs.get, configs.delete, configs.export])
      expect(await refusal(call, { kid: row.kid }, other)).toBe('not_found')
    expect(await refusal(configs.copy, { kid: row.kid, name: 'x' }, other)).toBe('not_found')
    expect(await refusal(configs.update, { kid: row.kid, ...draft(template.kid, {}) }, other)).toBe('not_found')
    expect(await refusal(configs.insert, draft(template.kid, { wifi: [{ ssid: 'x' }] }), other)).toBe('not_found')
  })

  it('may be kept incomplete and gone on with; until then they are not exported', async () => {
    const row = await insert(template.kid, {}, { status: 'incomplete' })
    expect(row.status).toBe('incomplete')
    expect(await refusal(configs.export, { kid: row.kid })).toBe('istage_incomplete')
    const again = { kid: row.kid, ...draft(template.kid, { wifi: [{ ssid: 'UPPER' }] }, { status: 'incomplete' }) }
    await done(configs.update, again)
    expect(await refusal(configs.update, { ...again, status: 'completed' })).toBe('template_pattern')
    await done(configs.update, { ...again, status: 'completed', private_content: { wifi: [{ ssid: 'lower' }] } })
    await done(configs.export, { kid: row.kid })
  })

  it('need a name, a module, an object and a parameter, and say where what is wrong', async () => {
    const wrong = async (content: IstageContent, more: object = {}) => {
      const { name, fields } = await refused(configs.insert, draft(template.kid, content, more), own!)
      return [name, Object.keys(fields)]
    }
    expect(await wrong({ wifi: [{ ssid: 'a' }] }, { name: ' ' })).toEqual(['bad_input', ['name']])
    expect(await wrong({})).toEqual(['bad_input', ['private_content']])
    expect(await wrong({ wifi: [] })).toEqual(['bad_input', ['private_content', 'private_content.wifi']])
    expect(await wrong({ wifi: [{}] })).toEqual([
      'bad_input',
      ['private_content.wifi.0', 'private_content.wifi.0.ssid'],
    ])
    expect(await wrong({ wifi: [{ ssid: 'A' }] })).toEqual(['template_pattern', ['private_content.wifi.0.ssid']])
    expect(await wrong({ wifi: [{ ssid: 'a', ' ': 'x' }] })).toEqual(['bad_input', ['private_content.wifi.0. ']])
    const many = Array.from({ length: 4 }, (_, at) => ({ ssid: `a${at}` }))
    expect(await wrong({ wifi: many })).toEqual(['template_items_exceeded', ['private_content.wifi']])
    expect(await wrong({ wifi: [{ ssid: 'a', b: 'x', c: 'x', d: 'x' }] })).toEqual([
      'template_items_exceeded',
      ['private_content.wifi.0'],
    ])
  })

  it('with the content of another are refused with its name, whatever the order of its parameters', async () => {
    const first = await insert(template.kid, { wifi: [{ ssid: 'twin', Batch: '1' }] }, { name: 'The first' })
    const twin = draft(template.kid, { wifi: [{ Batch: '1', ssid: 'twin' }] })
    expect(await refused(configs.insert, twin, own!)).toMatchObject({
      name: 'istage_content_exists',
      message: 'The configuration The first has the same content.',
    })
    const second = await insert(template.kid, { wifi: [{ ssid: 'other' }] })
    expect(await refusal(configs.update, { kid: second.kid, ...twin })).toBe('istage_content_exists')
    await done(configs.update, { kid: first.kid, ...twin, name: 'Saved again' })
    await insert(template.kid, twin.private_content, { status: 'incomplete' })
  })

  it('have names of their own', async () => {
    await insert(template.kid, { wifi: [{ ssid: 'named' }] }, { name: 'One name' })
    expect(await refusal(configs.insert, draft(template.kid, { wifi: [{ ssid: 'b' }] }, { name: 'ONE NAME' }))).toBe(
      'duplicate_name',
    )
  })

  it('are copied as incomplete ones', async () => {
    const { kid } = await insert(template.kid, { wifi: [{ ssid: 'copied' }] })
    const row = await done<IstageConfig>(configs.copy, { kid, name: 'A copy' })
    expect(row).toMatchObject({ name: 'A copy', status: 'incomplete' })
    expect(await done(configs.get, { kid: row.kid })).toMatchObject({ content: { wifi: [{ ssid: 'copied' }] } })
    expect(await refusal(configs.copy, { kid, name: 'a COPY' })).toBe('duplicate_name')
  })

  it('of a deleted template are read and exported, and neither edited nor copied', async () => {
    const gone = await imported(templateFile({ version: version() }))
    const row = await insert(gone.kid, { wifi: [{ ssid: 'kept' }] })
    await done(templates.delete, { kid: gone.kid })
    expect(await done(configs.get, { kid: row.kid })).toMatchObject({ is_template_deleted: true })
    await done(configs.export, { kid: row.kid })
    const content = { wifi: [{ ssid: 'x' }] }
    expect(await refusal(configs.copy, { kid: row.kid, name: 'Copy of it' })).toBe('template_deleted')
    expect(await refusal(configs.update, { kid: row.kid, ...draft(template.kid, content) })).toBe('template_deleted')
    expect(await refusal(configs.insert, draft(gone.kid, content))).toBe('template_deleted')
    await imported(templateFile({ version: gone.version }))
    expect(await refusal(configs.copy, { kid: row.kid, name: 'Copy of it' })).toBe('template_deleted')
    // With the last configuration that stood on it, it takes no more of the room of the account.
    await done(configs.delete, { kid: row.kid })
    const left = api.deps.db.selectFrom('istage_template').select('kid').where('kid', '=', gone.kid)
    expect(await left.execute()).toEqual([])
  })

  it('larger than they may be are refused', async () => {
    const half = 'x'.repeat(istageLimits.content_bytes / 2)
    expect(await refusal(configs.insert, draft(template.kid, { wifi: [{ ssid: half }, { ssid: half }] }))).toBe(
      'file_too_large',
    )
  })

  it('keep what they set out of the operation log', async () => {
    const { kid } = await insert(template.kid, { wifi: [{ ssid: 'secretpassword1' }] })
    await done(configs.export, { kid })
    const file = templateFile({ version: version() })
    await imported(file)
    const rows = await api.deps.db.selectFrom('operation_log').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    const written = JSON.stringify(rows.map(({ request, response }) => [request, response]))
    expect(written).not.toContain(base64(file).slice(0, 100))
    expect(written).not.toContain('secretpassword1')
  })
})

describe('a configuration that is pushed through MDM', () => {
  const { save, current_config } = contract.terminalConfig.calls
  const section = (config_kid: string) => ({
    istage: { config_kid, name: 'a lie', type: '', version: '', private_content: '{"a":[]}' },
  })
  const account = { ltscope: 20 }
  let who: { kid: string; token: string }
  beforeAll(async () => {
    who = await api.person(1, api.acme.kid, 'acme.pusher', ['istage*', 'deviceDetailConfig*'])
    const later = new Date(api.deps.clock.now().getTime() + 3_600_000)
    await api.deps.db.updateTable('session').set({ confirmed_at: later }).where('user_kid', '=', who.kid).execute()
  })
  const held = async () => {
    const now = await done<{ istage: { value: Record<string, string> } }>(
      current_config,
      { ...account, types: '101' },
      who,
    )
    return now.istage.value
  }

  it('is taken over as it is, its content sealed and masked, until it is saved again', async () => {
    const template = await imported(templateFile({ version: version() }))
    const row = await insert(template.kid, { wifi: [{ ssid: 'sealed1' }] })
    await done(save, { ...account, ...section(row.kid) }, who)
    const mask = '********'
    const shown = { config_kid: row.kid, name: row.name, type: 'network', version: template.version }
    expect(await held()).toEqual({ ...shown, private_content: mask })
    const stored = await api.deps.db.selectFrom('terminal_config').selectAll().where('section', '=', 'istage').execute()
    expect(stored).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain('sealed1')
    await done(configs.update, { kid: row.kid, ...draft(template.kid, { wifi: [{ ssid: 'x' }] }, { name: 'Later' }) })
    expect(await held()).toMatchObject({ name: row.name })
    await done(save, { ...account, ...section(row.kid) }, who)
    expect(await held()).toMatchObject({ name: 'Later' })
  })

  it('is one of the account that is complete and not too large', async () => {
    const template = await imported(templateFile({ version: version() }, { max_length: 4_000 }))
    const open = await insert(template.kid, {}, { status: 'incomplete' })
    const fields = async (kid: string) => {
      const { name, fields: at } = await refused(save, { ...account, ...section(kid) }, who)
      return [name, at]
    }
    const unknown = ['bad_input', { 'istage.config_kid': fieldFaults.istage_unknown.en }]
    expect(await fields(open.kid)).toEqual(unknown)
    expect(await fields(template.kid)).toEqual(unknown)
    expect(await fields('none')).toEqual(unknown)
    const modules = [{ key: 'files', title: 'F', fields: [{ key: 'f', title: 'F', kind: 'file' }] }]
    const large = await imported(templateFile({ version: version(), modules }))
    const file = `data:application/octet-stream;name=a.bin;base64,${'A'.repeat(120_000)}`
    const row = await insert(large.kid, { files: [{ f: file }] })
    expect(await fields(row.kid)).toEqual(['bad_input', { 'istage.config_kid': 'At most 100,000 characters.' }])
  })
})
