import { implement } from '../../../http/context.ts'
import { deleteApk, listApks } from './qr/apks.ts'
import { createGms } from './qr/gms.ts'
import { acceptWaiting, pagingWaiting, rejectWaiting } from './registration/waiting.ts'
import { createPermanent, pagingPermanent, revokePermanent, showPermanent } from './qr/permanent.ts'

export const terminalQrcodeCalls = implement('terminalQrcode', {
  async qrcode_forever_registered(input, ctx) {
    const code = await createPermanent(ctx, input)
    ctx.track('qrcode', code.kid, 'permanent_created')
    return code
  },
  paging: (input, ctx) => pagingPermanent(ctx, input),
  get: (input, ctx) => showPermanent(ctx, input.kid),
  async revoke(input, ctx) {
    const code = await revokePermanent(ctx, input.kid)
    ctx.track('qrcode', code.kid, 'revoked_after', { count: code.use_count })
    return code
  },
  paging_waiting: (input, ctx) => pagingWaiting(ctx, input),
  async accept_waiting(input, ctx) {
    const made = await acceptWaiting(ctx, input.kid)
    ctx.track('terminal', made.kid, 'let_in', { name: made.sn })
    return made
  },
  async reject_waiting(input, ctx) {
    ctx.track('terminal', input.kid, 'not_let_in', { name: await rejectWaiting(ctx, input.kid) })
    return {}
  },
  async qrcode_gms_registered(input, ctx) {
    const { is_new, ...code } = await createGms(ctx, input, ctx.request.clientGone?.())
    ctx.track('qrcode', code.qrcode_kid, is_new ? 'android_created' : 'android_used')
    if (code.apk && input.upload_kid) ctx.track('enrolment_apk', code.apk.kid, 'kept', { name: code.apk.name })
    return code
  },
  list_apk: (_input, ctx) => listApks(ctx),
  async delete_apk(input, ctx) {
    const apk = await deleteApk(ctx, input.kid)
    ctx.track('enrolment_apk', apk.kid, 'deleted', { name: apk.name })
    return {}
  },
})
