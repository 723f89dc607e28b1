import { wholeAccount } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx, Handlers } from '../../../http/context.ts'
import { interruptedUploads } from '../../../files/own-upload.ts'
import { refuse } from '../../../refusal.ts'
import * as files from './index.ts'
import type { Keeper } from './space.ts'

type AnyCtx = Omit<Ctx, 'fail'>
const named = (rows: readonly { name: string }[]): string =>
  rows
    .map(({ name }) => name)
    .join(', ')
    .slice(0, 500)

/** Both groups do the same; only whose files they are differs. */
const callsOf = (whose: (ctx: AnyCtx) => Keeper): Handlers<'fileCloud'> & Handlers<'opsPlatformFile'> => ({
  paging: (input, ctx) => files.paging(whose(ctx), input),
  get: ({ kid }, ctx) => files.get(whose(ctx), kid),
  list_folder: (_input, ctx) => files.listFolders(whose(ctx)),
  get_space: (_input, ctx) => files.spaceOf(whose(ctx)),
  list_upload: (_input, ctx) => interruptedUploads(whose(ctx), 'file_disk'),
  async insert(input, ctx) {
    const file = await files.insert(whose(ctx), input)
    ctx.track('file_cloud', file.kid, 'added', { name: file.name })
    return file
  },
  async insert_folder(input, ctx) {
    const { kid, name } = await files.insertFolder(whose(ctx), input)
    ctx.track('file_cloud', kid, 'created', { name })
    return { kid }
  },
  async make_path(input, ctx) {
    const { kid, name } = await files.makePath(whose(ctx), input)
    ctx.track('file_cloud', kid, 'created', { name })
    return { kid }
  },
  async update(input, ctx) {
    const { before, name } = await files.update(whose(ctx), input)
    if (before === name) ctx.track('file_cloud', input.kid, 'changed', { name })
    else ctx.track('file_cloud', input.kid, 'renamed', { from: before, to: name })
    return {}
  },
  async move(input, ctx) {
    const moved = await files.move(whose(ctx), input)
    const to = input.folder_kid === null ? '/' : (await files.get(whose(ctx), input.folder_kid)).name
    ctx.track('file_cloud', input.kids[0]!, 'moved', { name: named(moved), to })
    return {}
  },
  async copy(input, ctx) {
    const copies = await files.copy(whose(ctx), input)
    ctx.track('file_cloud', copies[0]!.kid, 'copied', { name: named(copies) })
    return { kids: copies.map(({ kid }) => kid) }
  },
  async delete({ kid }, ctx) {
    const { gone } = await files.remove(whose(ctx), [kid])
    if (gone.length === 0) return refuse('delete_failed')
    ctx.track('file_cloud', kid, 'deleted', { name: named(gone) })
    return {}
  },
  async batch_delete({ kids }, ctx) {
    const { gone, kept } = await files.remove(whose(ctx), kids)
    if (gone.length > 0) ctx.track('file_cloud', gone[0]!.kid, 'deleted', { name: named(gone) })
    return { deleted: gone.length, kept: kept.map(({ kid, name }) => ({ kid, name })) }
  },
})

const keeper = (
  ctx: AnyCtx,
  { deps, account_kid, scope, visible_groups, user, token_kid }: Omit<Keeper, 'uploads'>,
): Keeper => ({
  deps,
  account_kid,
  scope,
  visible_groups,
  user,
  token_kid,
  uploads: ctx.scope,
})

export const fileCloudCalls = implement(
  'fileCloud',
  callsOf((ctx) => keeper(ctx, ctx)),
)
/** The provider's files, whomever the caller has entered. */
export const opsPlatformFileCalls = implement(
  'opsPlatformFile',
  callsOf((ctx) => keeper(ctx, wholeAccount(ctx, ctx.session.own_account_kid))),
)
