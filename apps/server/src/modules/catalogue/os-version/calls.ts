import { osLimits } from '@mdm/contract'
import { implement } from '../../../http/context.ts'
import * as fleet from './fleet.ts'
import { keyStatement, listKeys, registerKey, rotate } from '../../store/os-update/index.ts'
import { deletePackage, downloadPackage, insertPackage, listFrom, makeDifferences, retryPackage } from './packages.ts'
import {
  discardStep,
  listAccounts,
  listGroups,
  offerPackages,
  pushing,
  release,
  saveAudience,
  takeOffline,
  toSign,
} from './releases.ts'
import * as versions from './versions.ts'

export const opsOsVersionCalls = implement('opsOsVersion', {
  paging: (input, ctx) => versions.paging(ctx, input),
  get: ({ kid }, ctx) => versions.get(ctx, kid, ctx.request.language),
  list_from: ({ kid }, ctx) => listFrom(ctx, kid),
  async insert(input, ctx) {
    const { kid, title } = await versions.insert(ctx, input)
    ctx.track('os_version', kid, 'created', { name: title })
    return { kid }
  },
  async update(input, ctx) {
    const name = await versions.update(ctx, input)
    ctx.track('os_version', input.kid, 'changed', { name })
    return {}
  },
  async delete({ kid }, ctx) {
    ctx.track('os_version', kid, 'deleted', { name: await versions.remove(ctx, kid) })
    return {}
  },
  async insert_package(input, ctx) {
    const { kid, title } = await insertPackage(ctx, input, ctx.request.language)
    ctx.track('os_version', input.os_version_kid, 'os_package_added', { name: title })
    return { kid }
  },
  async make_differences(input, ctx) {
    const { kids, title } = await makeDifferences(ctx, input)
    ctx.track('os_version', input.os_version_kid, 'os_differences_made', { name: title })
    return { kids }
  },
  async retry_package({ kid }, ctx) {
    const { version_kid, title } = await retryPackage(ctx, kid)
    ctx.track('os_version', version_kid, 'os_package_retried', { name: title })
    return {}
  },
  async delete_package({ kid }, ctx) {
    const { version_kid, title } = await deletePackage(ctx, kid)
    ctx.track('os_version', version_kid, 'os_package_removed', { name: title })
    return {}
  },
  async download_package({ kid }, ctx) {
    const { url, version_kid, ...named } = await downloadPackage(ctx, kid)
    ctx.track('os_version', version_kid, 'os_file_downloaded', named)
    return { url }
  },
  async save_audience(input, ctx) {
    ctx.track('os_version', input.kid, 'os_audience', { name: await saveAudience(ctx, input) })
    return {}
  },
  async discard_step(input, ctx) {
    ctx.track('os_version', input.kid, 'os_step_discarded', { name: await discardStep(ctx, input) })
    return {}
  },
  to_sign: ({ kid }, ctx) => toSign(ctx, kid),
  async release(input, ctx) {
    // Who chooses recipients may do that; who releases, this.
    if (input.audience && !ctx.may('osIssueReleaseOs') && !ctx.may('osIssueReleaseOsEdit')) ctx.fail('no_permission')
    const { title, mode } = await release(ctx, input)
    ctx.track('os_version', input.kid, mode === 'launched' ? 'os_launched' : 'os_pre_released', { name: title })
    return {}
  },
  async offer_packages(input, ctx) {
    ctx.track('os_version', input.kid, 'os_packages_offered', { name: await offerPackages(ctx, input) })
    return {}
  },
  pushing: ({ kid }, ctx) => pushing(ctx, kid),
  async take_offline(input, ctx) {
    const name = await takeOffline(ctx, input)
    ctx.track('os_version', input.kid, input.cancels_tasks ? 'os_offline_canceling' : 'os_offline', { name })
    return {}
  },
  list_history: ({ kid }, ctx) => versions.listHistory(ctx, kid),
  running: ({ kid }, ctx) => fleet.running(ctx, kid),
  list_account: ({ text }, ctx) => listAccounts(ctx, text, osLimits.choices),
  list_group: ({ account_kid }, ctx) => listGroups(ctx, account_kid),
  list_key: (_input, ctx) => listKeys(ctx),
  key_statement: (input, ctx) => keyStatement(ctx, input),
  async register_key(input, ctx) {
    ctx.track('os_key', await registerKey(ctx, input), 'os_key_registered')
    return {}
  },
  async rotate_key({ is_old_revoked }, ctx) {
    ctx.track('os_key', await rotate(ctx, is_old_revoked), 'os_key_changed')
    return {}
  },
})

export const osVersionCalls = implement('osVersion', {
  list: (_input, ctx) => fleet.list(ctx),
  fleet: (input, ctx) => fleet.fleet(ctx, input),
  paging_behind: (input, ctx) => fleet.pagingBehind(ctx, input),
})
