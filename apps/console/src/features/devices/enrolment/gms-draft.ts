import { agent_components } from '@mdm/contract'
import type { AndroidAgent, Sent } from '@mdm/contract'
import type { api } from '../../../core/api.ts'

type Input = Sent<typeof api.terminalQrcode.qrcode_gms_registered>
type ExtraKind = 'text' | 'number' | 'yes_no'
type Extra = { key: string; kind: ExtraKind; value?: string | boolean }
export type ApkSource = 'kept' | 'upload' | 'url'
/** The form as a person fills it in. */
export type GmsDraft = {
  agent_kind: AndroidAgent
  component_name: string
  source: ApkSource
  apk_kid?: string
  file?: File
  download_url?: string
  signature_checksum?: string
  host?: string
  /** Empty makes a new one. */
  qrcode_kid: string
  terminal_group_kid: string
  has_wifi: boolean
  wifi: { ssid?: string; security_type: 'NONE' | 'WPA' | 'WEP'; password?: string; is_hidden: boolean }
  use_mobile_data: boolean
  locale?: string
  time_zone?: string
  leave_all_system_apps_enabled: boolean
  extras: Extra[]
}

export const emptyGms = (agent_kind: AndroidAgent, terminal_group_kid: string): GmsDraft => ({
  agent_kind,
  component_name: agent_components[agent_kind],
  source: 'upload',
  qrcode_kid: '',
  terminal_group_kid,
  has_wifi: false,
  wifi: { security_type: 'WPA', is_hidden: false },
  use_mobile_data: false,
  leave_all_system_apps_enabled: true,
  extras: [],
})

/** What the call takes. What was filled in and then not chosen is left out; `upload_kid` is of the file, once it is there. */
export function gmsInput(draft: GmsDraft, upload_kid?: string): Input {
  const { agent_kind, component_name, source, apk_kid, download_url, signature_checksum, wifi } = draft
  const { qrcode_kid, terminal_group_kid, leave_all_system_apps_enabled, use_mobile_data } = draft
  const { ssid = '', security_type, is_hidden, password = '' } = wifi
  return {
    agent_kind,
    component_name,
    leave_all_system_apps_enabled,
    use_mobile_data,
    ...(source === 'kept' && { apk_kid }),
    ...(source === 'upload' && { upload_kid }),
    ...(source === 'url' && { download_url: download_url?.trim(), signature_checksum }),
    ...(draft.host?.trim() && { host: draft.host.trim() }),
    ...(qrcode_kid ? { qrcode_kid } : { terminal_group_kid }),
    ...(draft.has_wifi && {
      wifi: { ssid, security_type, is_hidden, password: security_type === 'NONE' ? '' : password },
    }),
    ...(draft.locale && { locale: draft.locale }),
    ...(draft.time_zone && { time_zone: draft.time_zone }),
    admin_extras: Object.fromEntries(draft.extras.map((extra) => [extra.key.trim(), valueOf(extra)])),
  }
}

function valueOf({ kind, value }: Extra): string | number | boolean {
  if (kind === 'yes_no') return value === true
  return kind === 'number' ? Number(value) : String(value ?? '')
}
