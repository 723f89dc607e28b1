import { wholeAccount } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx, Handlers } from '../../../http/context.ts'
import { interruptedUploads } from '../../../files/own-upload.ts'
import * as apps from './index.ts'

type AnyCtx = Omit<Ctx, 'fail'>

/** Both groups do the same; only whose apps they are differs. */
const callsOf = (whose: (ctx: AnyCtx) => apps.Librarian): Handlers<'appCenter'> & Handlers<'opsPlatformApk'> => ({
  list_category: (_input, ctx) => apps.listCategories(whose(ctx)),
  async insert_category(input, ctx) {
    const { kid, name } = await apps.insertCategory(whose(ctx), input)
    ctx.track('app_category', kid, 'created', { name })
    return { kid }
  },
  async update_category(input, ctx) {
    await apps.renameCategory(whose(ctx), input)
    ctx.track('app_category', input.kid, 'renamed_to', { name: input.name })
    return {}
  },
  async delete_category({ kid }, ctx) {
    const name = await apps.removeCategory(whose(ctx), kid)
    ctx.track('app_category', kid, 'deleted', { name })
    return {}
  },
  paging: (input, ctx) => apps.paging(whose(ctx), input),
  get: ({ kid }, ctx) => apps.get(whose(ctx), kid),
  get_space: (_input, ctx) => apps.spaceOf(whose(ctx)),
  list_upload: (_input, ctx) => interruptedUploads(whose(ctx), 'app_center'),
  inspect_upload: (input, ctx) => apps.inspect(whose(ctx), input),
  async insert(input, ctx) {
    const { kid, version_kid, version_name } = await apps.insert(whose(ctx), input)
    ctx.track('app', kid, 'version_added', { name: input.name, version: version_name })
    if (input.is_listed) ctx.track('app', kid, 'app_listed', { name: input.name })
    return { kid, version_kid }
  },
  async update(input, ctx) {
    const { name } = await apps.update(whose(ctx), input)
    ctx.track('app', input.kid, 'changed', { name })
    return {}
  },
  async delete({ kid }, ctx) {
    const { name } = await apps.remove(whose(ctx), kid)
    ctx.track('app', kid, 'deleted', { name })
    return {}
  },
  async enlist({ kid }, ctx) {
    const { name } = await apps.enlist(whose(ctx), kid)
    ctx.track('app', kid, 'app_listed', { name })
    return {}
  },
  async delist({ kid, tasks }, ctx) {
    const { name, canceled } = await apps.delist(whose(ctx), kid, tasks)
    ctx.track('app', kid, 'app_delisted', { name })
    return { canceled }
  },
  open_tasks: ({ kid }, ctx) => apps.countOpenTasks(whose(ctx), kid),
  paging_version: (input, ctx) => apps.pagingVersions(whose(ctx), input),
  get_version: ({ kid }, ctx) => apps.getVersion(whose(ctx), kid),
  async insert_version(input, ctx) {
    const { kid, name, version, is_same_signer } = await apps.addVersion(whose(ctx), input)
    ctx.track('app_version', kid, is_same_signer ? 'version_added' : 'signer_changed', { name, version })
    return { kid }
  },
  async update_version(input, ctx) {
    const { name, version } = await apps.updateVersion(whose(ctx), input)
    ctx.track('app_version', input.kid, 'changed', { name: `${name} ${version}` })
    return {}
  },
  async offer_version({ kid }, ctx) {
    ctx.track('app_version', kid, 'version_offered', await apps.offerVersion(whose(ctx), kid))
    return {}
  },
  async delete_version({ kid }, ctx) {
    ctx.track('app_version', kid, 'version_deleted', await apps.removeVersion(whose(ctx), kid))
    return {}
  },
  async download_version({ kid }, ctx) {
    const { url, ...named } = await apps.downloadVersion(whose(ctx), kid)
    ctx.track('app_version', kid, 'version_downloaded', named)
    return { url }
  },
  installed: ({ kid }, ctx) => apps.installed(whose(ctx), kid),
})

const librarian = (ctx: AnyCtx, actor: Pick<Ctx, keyof apps.Librarian & keyof Ctx>): apps.Librarian => ({
  deps: actor.deps,
  account_kid: actor.account_kid,
  scope: actor.scope,
  visible_groups: actor.visible_groups,
  user: actor.user,
  token_kid: actor.token_kid,
  uploads: ctx.scope,
  signal: ctx.request.clientGone?.(),
})

export const appCenterCalls = implement(
  'appCenter',
  callsOf((ctx) => librarian(ctx, ctx)),
)
/** The provider's apps, whomever the caller has entered. */
export const opsPlatformApkCalls = implement(
  'opsPlatformApk',
  callsOf((ctx) => librarian(ctx, wholeAccount(ctx, ctx.session.own_account_kid))),
)
