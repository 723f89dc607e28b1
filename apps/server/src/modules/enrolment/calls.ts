import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { implement } from '../../http/context.ts'
import type { SignedIn } from '../../http/context.ts'
import { deleteApk, listApks } from './apks.ts'
import { createGms } from './gms.ts'
import { createPermanent, pagingPermanent, revokePermanent, showPermanent } from './permanent.ts'

type Context = { deps: Deps; session: SignedIn; account_kid: string; scope: Kysely<Tables> }
const caller = ({ deps, scope, account_kid, session }: Context) => ({
  deps,
  scope,
  account_kid,
  reach: session.group_kids,
  user: { kid: session.user_kid, name: session.name },
})

export const terminalQrcodeCalls = implement('terminalQrcode', {
  async qrcode_forever_registered(input, ctx) {
    const code = await createPermanent(caller(ctx), input)
    ctx.track('qrcode', code.kid, 'permanent_created')
    return code
  },
  paging: (input, ctx) => pagingPermanent(caller(ctx), input),
  get: (input, ctx) => showPermanent(caller(ctx), input.kid),
  async revoke(input, ctx) {
    const code = await revokePermanent(caller(ctx), input.kid)
    ctx.track('qrcode', code.kid, 'revoked_after', { count: code.use_count })
    return code
  },
  async qrcode_gms_registered(input, ctx) {
    const { is_new, ...code } = await createGms({ ...caller(ctx), left: ctx.request.left?.() }, input)
    ctx.track('qrcode', code.qrcode_kid, is_new ? 'android_created' : 'android_used')
    if (code.apk && input.upload_kid) ctx.track('enrolment_apk', code.apk.kid, 'kept', { name: code.apk.name })
    return code
  },
  list_apk: (_input, ctx) => listApks(ctx.scope),
  async delete_apk(input, ctx) {
    const apk = await deleteApk(ctx.deps, ctx.scope, input.kid)
    ctx.track('enrolment_apk', apk.kid, 'deleted', { name: apk.name })
    return {}
  },
})
