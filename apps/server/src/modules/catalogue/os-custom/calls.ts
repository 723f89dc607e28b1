import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { requesterOf } from '../../../workers/service.ts'
import { pushing, release, takeOffline } from '../os-version/index.ts'
import { cancelBuild, deleteBuild, downloadBuild, recustomise, retryBuild, versionOf } from './builds/builds.ts'
import { listApps, listFiles } from './choices.ts'
import * as customs from './customs.ts'
import * as lists from './custom-list.ts'
import { changed } from './locked-custom.ts'

const customiser = (ctx: Ctx): customs.Customiser => {
  const { deps, account_kid, scope, visible_groups, user, token_kid } = ctx
  return { deps, account_kid, scope, visible_groups, user, token_kid, reader: requesterOf(ctx) }
}
/** Versions that were built for the account are operated by whoever acts for it. */
const releaser = ({ deps, account_kid, scope, visible_groups, user, token_kid }: Ctx) => ({
  deps,
  account_kid,
  scope,
  visible_groups,
  user,
  token_kid,
  built_for: account_kid,
})

/** A customer cannot sign for the provider. */
function asCustomer(error: unknown): never {
  if (error instanceof Refusal && error.refusal === 'os_signature_needed') return refuse('os_build_unsigned')
  throw error
}

export const osCustomCalls = implement('osCustom', {
  paging: (input, ctx) => lists.paging(ctx, input, ctx.request.language),
  get: ({ kid }, ctx) => lists.get(ctx, kid, ctx.request.language),
  list_base: (_input, ctx) => lists.listBases(ctx),
  list_app: ({ text }, ctx) => listApps(ctx, text),
  list_file: ({ text }, ctx) => listFiles(ctx, text),
  list_configuration: (_input, ctx) => lists.listConfigurations(ctx),
  async insert(input, ctx) {
    const kid = await customs.insert(customiser(ctx), input)
    ctx.track('os_custom', kid, 'created', { name: input.name })
    return { kid }
  },
  async update(input, ctx) {
    ctx.track('os_custom', input.kid, 'changed', { name: await customs.update(customiser(ctx), input) })
    return {}
  },
  async delete({ kid }, ctx) {
    ctx.track('os_custom', kid, 'deleted', { name: await customs.remove(ctx, kid) })
    return {}
  },
  async recustomise({ kid }, ctx) {
    const { build_kid, name, version } = await recustomise(ctx, kid)
    ctx.track('os_custom', kid, 'os_build_started', { name, version })
    return { build_kid }
  },
  async abandon({ kid }, ctx) {
    ctx.track('os_custom', kid, 'os_custom_abandoned', { name: await customs.abandon(ctx, kid) })
    return {}
  },
  async restore({ kid }, ctx) {
    ctx.track('os_custom', kid, 'os_custom_restored', { name: await customs.restore(ctx, kid) })
    return {}
  },
  list_build: ({ kid }, ctx) => lists.listBuilds(ctx, kid, ctx.request.language),
  get_build: ({ kid }, ctx) => lists.getBuild(ctx, kid, ctx.request.language),
  async cancel_build({ kid }, ctx) {
    const { os_custom_kid, name } = await cancelBuild(ctx, kid)
    ctx.track('os_custom', os_custom_kid, 'os_build_canceled', { name })
    return {}
  },
  async retry_build({ kid }, ctx) {
    const { os_custom_kid, name } = await retryBuild(ctx, kid)
    ctx.track('os_custom', os_custom_kid, 'os_build_retried', { name })
    return {}
  },
  async download_build({ kid }, ctx) {
    const { url, os_custom_kid, ...named } = await downloadBuild(ctx, kid)
    ctx.track('os_custom', os_custom_kid, 'os_file_downloaded', named)
    return { url }
  },
  async delete_build({ kid }, ctx) {
    const { os_custom_kid, name } = await deleteBuild(ctx, kid)
    ctx.track('os_custom', os_custom_kid, 'os_build_deleted', { name })
    return {}
  },
  async release_build({ kid }, ctx) {
    const version = await versionOf(ctx, kid)
    const { title } = await release(releaser(ctx), { kid: version }).catch(asCustomer)
    ctx.track('os_version', version, 'os_launched', { name: title })
    changed(ctx)
    return {}
  },
  pushing: async ({ kid }, ctx) => pushing(ctx, await versionOf(ctx, kid)),
  async take_offline({ kid, cancels_tasks }, ctx) {
    const version = await versionOf(ctx, kid)
    const name = await takeOffline(releaser(ctx), { kid: version, cancels_tasks })
    ctx.track('os_version', version, cancels_tasks ? 'os_offline_canceling' : 'os_offline', { name })
    changed(ctx)
    return {}
  },
})
