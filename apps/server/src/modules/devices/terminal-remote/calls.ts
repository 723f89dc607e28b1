import { implement } from '../../../http/context.ts'
import * as remote from './index.ts'

export const terminalRemoteCalls = implement('terminalRemote', {
  async open_desktop({ terminal_kid, view_only }, ctx) {
    const opened = await remote.open(ctx, { terminal_kid, kind: 'desktop', view_only })
    ctx.track('remote_session', opened.session.kid, 'remote_opened', { sn: opened.session.sn })
    return opened
  },
  async open_terminal({ terminal_kid, ...size }, ctx) {
    const opened = await remote.open(ctx, { terminal_kid, kind: 'terminal', view_only: false, size })
    ctx.track('remote_session', opened.session.kid, 'remote_opened', { sn: opened.session.sn })
    return opened
  },
  async open_log({ terminal_kid }, ctx) {
    const opened = await remote.open(ctx, { terminal_kid, kind: 'log', view_only: false })
    ctx.track('remote_session', opened.session.kid, 'remote_opened', { sn: opened.session.sn })
    return opened
  },
  async open_files({ terminal_kid }, ctx) {
    const opened = await remote.open(ctx, { terminal_kid, kind: 'files', view_only: false })
    ctx.track('remote_session', opened.session.kid, 'remote_opened', { sn: opened.session.sn })
    return opened
  },
  async join({ session_kid }, ctx) {
    const opened = await remote.join(ctx, session_kid)
    ctx.track('remote_session', session_kid, 'remote_joined', { sn: opened.session.sn })
    return opened
  },
  async control({ session_kid, viewer_kid }, ctx) {
    const { name } = await remote.giveControl(ctx, session_kid, viewer_kid)
    if (name === undefined) ctx.track('remote_session', session_kid, 'control_given_up')
    else ctx.track('remote_session', session_kid, 'control_moved', { name })
    return {}
  },
  async end({ kids }, ctx) {
    const ended = await remote.end(ctx, kids)
    for (const { kid, sn } of ended) ctx.track('remote_session', kid, 'remote_closed', { sn })
    return { ended: ended.length }
  },
  get: ({ session_kid }, ctx) => remote.shown(ctx, session_kid),
  paging: (input, ctx) => remote.paging(ctx, input),
  async watch({ recording_kid }, ctx) {
    const { url, format, session } = await remote.watchRecording(ctx, recording_kid)
    ctx.track('remote_recording', recording_kid, 'recording_watched', { sn: session.sn })
    return { url, format }
  },
  async delete_recording({ recording_kid }, ctx) {
    const { sn } = await remote.deleteRecording(ctx, recording_kid)
    ctx.track('remote_recording', recording_kid, 'recording_removed', { sn })
    return {}
  },
  settings: (_, ctx) => remote.settingsOf(ctx.scope),
  async update_settings(settings, ctx) {
    const saved = await remote.updateSettings(ctx, settings)
    ctx.track('remote_settings', ctx.account_kid, 'details_changed')
    return saved
  },
  async renewal({ terminal_policy_kid, step }, ctx) {
    const session = await remote.renew(ctx, terminal_policy_kid, step)
    ctx.track('remote_session', session.kid, 'remote_renewed', { count: step })
    return session
  },
  async clear_renewal({ terminal_policy_kid }, ctx) {
    const session = await remote.clearRenewal(ctx, terminal_policy_kid)
    ctx.track('remote_session', session.kid, 'renewal_taken_back')
    return session
  },
})
