import { configSectionKeys } from '@mdm/contract'
import { configSections, masked } from '@mdm/contract/config/sections.ts'
import type { Answer, ConfigSection, Contract, In } from '@mdm/contract'
import type { Ctx } from '../../http/context.ts'
import { readCertificates } from './certificates.ts'
import { effectiveOf, levelsOf, settingsOf } from './effective.ts'
import { forgetPlatformRows, platformRows } from './platform-rows.ts'
import { countDevices, devicesBelow } from './reach.ts'
import { sealSecrets } from './secrets.ts'
import { shownOwn } from './service.ts'
import { announce, platformPlace, writeSections } from './write.ts'

type Calls = Contract['opsTerminalConfig']['calls']
type Operator = Pick<Ctx, 'deps' | 'user'>

const settingsOfPlatform = async ({ deps }: Operator) => {
  forgetPlatformRows(deps)
  return settingsOf(await platformRows(deps))
}
const levels = levelsOf([])
const level = levels[0]!

export async function get(operator: Operator) {
  const settings = await settingsOfPlatform(operator)
  return Object.fromEntries(
    configSectionKeys.map((section) => [section, shownOwn(section, settings(section, level))]),
  ) as Answer<Calls['get']>
}

export async function getConfig(operator: Operator, { types }: In<Calls['get_config']>) {
  const settings = await settingsOfPlatform(operator)
  const wanted = types?.split(',').map(Number)
  const named = { ...level, name: null }
  const sections = configSectionKeys.flatMap((section) => {
    if (wanted && !wanted.includes(configSections[section].type)) return []
    const { value } = effectiveOf(settings, section, [level])
    const own = shownOwn(section, settings(section, level))
    return [
      [
        section,
        {
          type: configSections[section].type,
          value: value === null ? null : masked(section, value),
          source: named,
          levels: [{ ...named, own }],
          result: null,
        },
      ],
    ]
  })
  const { deps } = operator
  const below = await devicesBelow(deps.db, platformPlace, configSectionKeys)
  return {
    ...Object.fromEntries(sections),
    devices: await countDevices(deps.db, below),
  } as Answer<Calls['get_config']>
}

export async function save({ deps, user }: Operator, input: In<Calls['save']>): Promise<ConfigSection[]> {
  const settings = await settingsOfPlatform({ deps, user })
  const values: Record<string, unknown> = {}
  for (const section of configSectionKeys) {
    if (input[section] === undefined) continue
    const prior = effectiveOf(settings, section, [level]).value
    const read = section === 'certificates' ? await readCertificates(deps, input[section], prior) : input[section]
    values[section] = await sealSecrets(deps, section, read, prior)
  }
  return write({ deps, user }, 'save', values)
}

export const reset = (operator: Operator, { sections }: In<Calls['reset']>): Promise<ConfigSection[]> =>
  write(operator, 'reset', Object.fromEntries((sections ?? configSectionKeys).map((section) => [section, null])))

async function write({ deps, user }: Operator, act: 'save' | 'reset', values: Record<string, unknown>) {
  const changed = await deps.db
    .transaction()
    .execute((trx) => writeSections(trx, { deps, user, place: platformPlace, act, values }))
  forgetPlatformRows(deps)
  announce(deps, platformPlace)
  return changed
}
