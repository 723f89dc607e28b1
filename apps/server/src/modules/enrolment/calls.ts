import { implement } from '../../http/context.ts'
import { deleteApk, listApks } from './apks.ts'
import { createGms } from './gms.ts'
import { createPermanent, pagingPermanent, revokePermanent, showPermanent } from './permanent.ts'

export const terminalQrcodeCalls = implement('terminalQrcode', {
  async qrcode_forever_registered(input, ctx) {
    const code = await createPermanent(ctx, input)
    ctx.track('qrcode', code.kid, 'created a permanent code')
    return code
  },
  paging: (input, ctx) => pagingPermanent(ctx, input),
  get: (input, ctx) => showPermanent(ctx, input.kid),
  async revoke(input, ctx) {
    const code = await revokePermanent(ctx, input.kid)
    ctx.track('qrcode', code.kid, `revoked after ${code.use_count} uses`)
    return code
  },
  async qrcode_gms_registered(input, ctx) {
    const { is_new, ...code } = await createGms(ctx, input, ctx.request.left?.())
    ctx.track('qrcode', code.qrcode_kid, `${is_new ? 'created' : 'used'} for Android Enterprise`)
    if (code.apk && input.upload_kid) ctx.track('enrolment_apk', code.apk.kid, `kept ${code.apk.name}`)
    return code
  },
  list_apk: (_input, ctx) => listApks(ctx),
  async delete_apk(input, ctx) {
    const apk = await deleteApk(ctx, input.kid)
    ctx.track('enrolment_apk', apk.kid, `deleted ${apk.name}`)
    return {}
  },
})
