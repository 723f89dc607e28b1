import { ltscopes, configSectionKeys } from '@mdm/contract'
import type { ConfigSection, Contract, In, Answer, ConfigReason } from '@mdm/contract'
import { sectionOf, configSections, masked } from '@mdm/contract/config/sections.ts'
import type { Actor } from '../../../actor.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import { resolvePlace } from './config-places.ts'
import type { NamedLevel } from './config-places.ts'
import { deliveryColumns, deliveryOf, absenceOf } from './delivery.ts'
import { effectiveOf, settingsFor } from './levels.ts'
import type { Level, Own } from './levels.ts'
import { stagedValuesOf, isStaged } from './staged-change.ts'
import './staged-kind.ts'

type Calls = Contract['terminalConfig']['calls']

/** What is set at a level, as it may be shown. */
export const shownOwn = (section: ConfigSection, own: Own) =>
  own ? { value: masked(section, own.value), updated_at: own.updated_at, updated_by: own.updated_by } : null

export async function get(actor: Actor, place: In<Calls['get']>) {
  const level = (await resolvePlace(actor, place)).at(-1)!
  const settings = await settingsFor(actor, place.terminal_kid ?? null)
  return Object.fromEntries(
    configSectionKeys.map((section) => [section, shownOwn(section, settings(section, level))]),
  ) as Answer<Calls['get']>
}

/** A user who may not read configurations gets the sections that the console itself uses, of the account only. */
export async function current(actor: ActorWith<'may'>, input: In<Calls['current_config']>) {
  const may_look = actor.may('deviceDetailConfig') || actor.may('configurePushList')
  if (!may_look && input.ltscope !== ltscopes.account) refuse('no_permission')
  const levels = await resolvePlace(actor, input)
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  const types = input.types?.split(',').map(Number)
  const wanted = configSectionKeys.filter(
    (key) => (types?.includes(configSections[key].type) ?? true) && (may_look || sectionOf(key).is_for_console),
  )
  const device = input.terminal_kid === undefined ? null : await deviceOf(actor, input.terminal_kid)
  const sections = wanted.map((section) => {
    const { value, source } = effectiveOf(settings, section, levels)
    const shown = {
      type: configSections[section].type,
      value: value === null ? null : masked(section, value),
      source: nameOf(levels, source),
      levels: levels.map((level) => ({ ...level, own: shownOwn(section, settings(section, level)) })),
      result: device && value !== null ? resultOf(section, source, device) : null,
    }
    return [section, shown]
  })
  return {
    ...Object.fromEntries(sections),
    delivery: device?.delivery ?? null,
  } as Answer<Calls['current_config']>
}
const nameOf = (levels: readonly NamedLevel[], source: { ltscope: number; kid: string | null }) =>
  levels.find(({ ltscope, kid }) => ltscope === source.ltscope && kid === source.kid)!

type Device = Awaited<ReturnType<typeof deviceOf>>
/** The result of a section on the device: what the device reported, or what is known without a report. */
function resultOf(section: ConfigSection, source: Level, { announced, absence, results, held }: Device) {
  if (sectionOf(section).is_for_console) return null
  const say = (outcome: string, reason: ConfigReason | null = null) => ({ outcome, reason, message: null })
  if (announced && !announced.includes(section)) return say('not_supported', 'not_announced')
  if (isStaged(held, section, source)) return say('waiting', 'held')
  return absence ?? results.get(section) ?? say('not_said')
}

async function deviceOf({ deps, scope, account_kid }: Actor, terminal_kid: string) {
  const read = () =>
    scope
      .selectFrom('terminal as t')
      .leftJoin('terminal_config_delivery as d', 'd.terminal_kid', 't.kid')
      .leftJoin('terminal_state as s', 's.terminal_kid', 't.kid')
      .select(['t.config_sections', 'd.sent_at', 's.is_online'])
      .select(deliveryColumns)
      .where('t.kid', '=', terminal_kid)
      .executeTakeFirstOrThrow()
  let row = await read()
  // The turn of this device may come late in a change to many: its configuration is worked out now for the reader.
  if (row.version_wanted === null) {
    await deps.link.workOutConfig(terminal_kid)
    row = await read()
  }
  const said = await scope
    .selectFrom('terminal_config_result')
    .select(['section', 'outcome', 'reason', 'message'])
    .where('terminal_kid', '=', terminal_kid)
    .execute()
  const results = new Map(said.map(({ section, ...rest }) => [section, rest]))
  const { version_wanted, version_held, sent_at, config_sections } = row
  const state = deliveryOf(row, results)
  return {
    delivery: { version_wanted, version_held, state, sent_at },
    announced: config_sections,
    absence: absenceOf(state, row.is_online ?? false),
    held: (await stagedValuesOf(scope, [account_kid], [terminal_kid]))(terminal_kid),
    results,
  }
}
