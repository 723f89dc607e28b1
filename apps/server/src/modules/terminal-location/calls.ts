import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { implement } from '../../http/context.ts'
import type { SignedIn } from '../../http/context.ts'
import * as locations from './service.ts'

type Context = { deps: Deps; session: SignedIn; account_kid: string; scope: Kysely<Tables> }
const viewer = ({ deps, scope, account_kid, session }: Context) => ({
  deps,
  scope,
  account_kid,
  reach: session.group_kids,
})

export const terminalLocationCalls = implement('terminalLocation', {
  list: (input, ctx) => locations.list(viewer(ctx), input),
  extent: (input, ctx) => locations.extent(viewer(ctx), input),
  tiles: async (_input, ctx) => ctx.deps.config.tiles,
  get: (input, ctx) => locations.get(ctx, input.terminal_kid),
  list_track: (input, ctx) => locations.listTrack(ctx.scope, input),
  async refresh(input, ctx) {
    const position = await locations.refresh(ctx, input.terminal_kid)
    ctx.track('terminal', input.terminal_kid, 'located')
    return position
  },
})
