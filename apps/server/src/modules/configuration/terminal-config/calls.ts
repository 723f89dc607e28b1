import { configSectionKeys, ltscopes } from '@mdm/contract'
import type { ChangeSaid, Contract, In } from '@mdm/contract'
import { differencesText } from '@mdm/contract/config/lines.ts'
import type { SectionChange } from '@mdm/contract/config/lines.ts'
import { wholeAccount } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import type { Hit } from '../../people/brakes/index.ts'
import * as apps from '../../catalogue/app-center/index.ts'
import * as affected from './affected.ts'
import type { Place } from './config-places.ts'
import * as current from './current.ts'
import * as drift from './drift.ts'
import * as history from './history.ts'
import * as hits from './hit.ts'
import * as platform from './platform.ts'
import * as edits from './save.ts'
import { abort } from './staged-kind.ts'

type Tracking = Pick<Ctx, 'track' | 'account_kid'>
function trackPlace(ctx: Tracking, place: Place, ...said: ChangeSaid): void {
  if (place.terminal_kid) ctx.track('terminal', place.terminal_kid, ...said)
  else if (place.profile_kid) ctx.track('config_profile', place.profile_kid, ...said)
  else if (place.terminal_group_kid) ctx.track('terminal_group', place.terminal_group_kid, ...said)
  else ctx.track('account', ctx.account_kid, ...said)
}

/** What the operation log says of a change behind its headline: which fields differ, from what to what. */
function trackDifferences(ctx: Tracking, place: Place, changes: readonly SectionChange[]): void {
  const differences = differencesText(changes)
  if (differences.en !== '') trackPlace(ctx, place, 'config_differs', { differences })
}

/** Collects what a write changes, for the operation log. */
function changesHeard() {
  const changes: SectionChange[] = []
  return { changes, onChanges: (more: readonly SectionChange[]) => void changes.push(...more) }
}

const sectionsIn = (input: In<Contract['opsTerminalConfig']['calls']['save']>) =>
  configSectionKeys.filter((key) => input[key] !== undefined || input.resets?.includes(key))

const needsApproval = async (ctx: Actor, hit: Hit): Promise<boolean> =>
  (await brake(ctx, { act: 'change_configuration', ...hit })).needs_approval

export const terminalConfigCalls = implement('terminalConfig', {
  get: (input, ctx) => current.get(ctx, input),
  current: ({ type, ...place }, ctx) => current.current(ctx, { ...place, types: String(type) }),
  current_config: (input, ctx) => current.current(ctx, input),
  other_info: (input, ctx) => history.otherInfo(ctx, input),
  paging: (input, ctx) => history.paging(ctx, input),
  async save(input, ctx) {
    const waits_for_approval = await needsApproval(ctx, await hits.hitBySave(ctx, input))
    const { changes, onChanges } = changesHeard()
    await edits.save(ctx, input, waits_for_approval, onChanges)
    trackPlace(ctx, input, 'configured', { sections: sectionsIn(input) })
    trackDifferences(ctx, input, changes)
    return { waits_for_approval }
  },
  async update(input, ctx) {
    trackPlace(ctx, await edits.update(ctx, input), 'config_named', { name: input.name ?? '' })
    return {}
  },
  async reset(input, ctx) {
    const waits_for_approval = await needsApproval(ctx, await hits.hitByReset(ctx, input))
    const { changes, onChanges } = changesHeard()
    const changed = await edits.reset(ctx, input, waits_for_approval, onChanges)
    trackPlace(ctx, input, 'reset', { sections: input.sections ?? configSectionKeys })
    trackDifferences(ctx, input, changes)
    return { reset: changed.length, waits_for_approval }
  },
  async copy(input, ctx) {
    const waits_for_approval = await needsApproval(ctx, await hits.hitByCopy(ctx, input))
    const at: { place: Place; changes: readonly SectionChange[] }[] = []
    const { sections, places } = await edits.copy(
      ctx,
      input,
      waits_for_approval,
      (place) => (changes) => void at.push({ place, changes }),
    )
    trackPlace(ctx, input, 'config_copied', { sections, places })
    for (const { place, changes } of at) trackDifferences(ctx, place, changes)
    return { copied: sections.length, places, waits_for_approval }
  },
  copy_affected: (input, ctx) => affected.copyAffected(ctx, input),
  affected: (input, ctx) => affected.affected(ctx, input),
  change_paging: (input, ctx) => history.changePaging(ctx, input),
  change_get: ({ kid }, ctx) => history.changeGet(ctx, kid),
  async revert({ kid }, ctx) {
    const waits_for_approval = await needsApproval(ctx, await hits.hitByRevert(ctx, kid))
    const { changes, onChanges } = changesHeard()
    const { changed, version, place } = await edits.revert(ctx, kid, waits_for_approval, onChanges)
    trackPlace(ctx, place, 'config_reverted', { version, sections: changed })
    trackDifferences(ctx, place, changes)
    return { sections: changed, waits_for_approval }
  },
  async abort({ kid }, ctx) {
    await brake(ctx, { act: 'abort_configuration', ...(await hits.hitByAbort(ctx, kid)) })
    const { changed, changes, version, place } = await abort(ctx, kid)
    trackPlace(ctx, place, 'config_aborted', { version, sections: changed })
    trackDifferences(ctx, place, changes)
    return { sections: changed }
  },
  get_statistical_result: (input, ctx) => drift.statistics(ctx, input),
  drift: (input, ctx) => drift.drift(ctx, input),
  async retry(input, ctx) {
    const devices = await drift.retry(ctx, input)
    ctx.track('account', ctx.account_kid, 'configs_sent_again', { count: devices })
    return { devices }
  },
  list_app: (input, ctx) => apps.listOffered(ctx, input),
  app_settings: (input, ctx) => apps.settingsOf(ctx, input),
})

/** The provider's own apps, whomever the caller has entered. */
const provider = (ctx: Omit<Ctx, 'fail'>) => wholeAccount(ctx, ctx.session.own_account_kid)

/** The reader of the platform's versions, which belong to no account. */
const platformReader = ({ deps }: Omit<Ctx, 'fail'>): history.Reader => ({
  scope: deps.db,
  visible_groups: undefined,
  is_platform: true,
})

/** The log has the platform as the provider's account. */
const of_platform: Place = { ltscope: ltscopes.platform }

const brakePlatform = (ctx: Actor, hit: Hit) => brake(ctx, { act: 'change_platform_configuration', ...hit })

export const opsTerminalConfigCalls = implement('opsTerminalConfig', {
  get: (_input, ctx) => platform.get(ctx),
  get_config: (input, ctx) => platform.getConfig(ctx, input),
  async save(input, ctx) {
    await brakePlatform(ctx, await platform.hitBy(ctx, affected.intended(input)))
    const { changes, onChanges } = changesHeard()
    await platform.save(ctx, input, onChanges)
    trackPlace(ctx, of_platform, 'configured', { sections: sectionsIn(input) })
    trackDifferences(ctx, of_platform, changes)
    return {}
  },
  async reset(input, ctx) {
    await brakePlatform(
      ctx,
      await platform.hitBy(ctx, affected.intended({ resets: input.sections ?? configSectionKeys })),
    )
    const { changes, onChanges } = changesHeard()
    const changed = await platform.reset(ctx, input, onChanges)
    trackPlace(ctx, of_platform, 'reset', { sections: input.sections ?? configSectionKeys })
    trackDifferences(ctx, of_platform, changes)
    return { reset: changed.length }
  },
  affected: (input, ctx) => platform.affected(ctx, input),
  change_paging: (input, ctx) => history.changePaging(platformReader(ctx), input),
  change_get: ({ kid }, ctx) => history.changeGet(platformReader(ctx), kid),
  async revert({ kid }, ctx) {
    await brakePlatform(ctx, await platform.hitByRevert(ctx, kid))
    const { changes, onChanges } = changesHeard()
    const { changed, version } = await platform.revert(ctx, kid, onChanges)
    trackPlace(ctx, of_platform, 'config_reverted', { version, sections: changed })
    trackDifferences(ctx, of_platform, changes)
    return { sections: changed }
  },
  list_app: (input, ctx) => apps.listOffered(provider(ctx), input),
  app_settings: (input, ctx) => apps.settingsOf(provider(ctx), input),
})
