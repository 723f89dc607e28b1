import { own_extras_prefix } from '@mdm/contract'
import type { AndroidAgent, Contract, In } from '@mdm/contract'

type Input = In<Contract['terminalQrcode']['calls']['qrcode_gms_registered']>
/** What the server adds to what was asked for. */
type Given = { base: string; token: string; download_url: string; signature_checksum: string }

/** Where each agent looks for the server and the code. */
const ownExtras: Record<AndroidAgent, (base: string, token: string) => Record<string, string>> = {
  mdm: (base, token) => ({ [`${own_extras_prefix}server`]: base, [`${own_extras_prefix}qrcode`]: token }),
  headwind: (base, token) => {
    const { origin, pathname } = new URL(base)
    return {
      'com.hmdm.BASE_URL': origin,
      'com.hmdm.SERVER_PROJECT': pathname.replaceAll(/^\/+|\/+$/g, ''),
      'com.hmdm.CONFIG': token,
      // What it asks for the first time by; from then on it has an id that nobody can guess.
      'com.hmdm.DEVICE_ID_USE': 'serial',
    }
  },
  mdmesh: (base, token) => ({ 'com.mdmesh.SERVER_URL': base, 'com.mdmesh.ENROLL_TOKEN': token }),
}

const android = (name: string): string => `android.app.extra.PROVISIONING_${name}`

/**
 * The text of an Android Enterprise QR code: what a device that was reset reads on its welcome screen. The names are those
 * of android.app.admin.DevicePolicyManager; what is undefined or has its default is left out, because every byte makes the code denser.
 */
export function provisioningText(input: Input, { base, token, download_url, signature_checksum }: Given): string {
  const { wifi } = input
  const text: Record<string, unknown> = {
    DEVICE_ADMIN_COMPONENT_NAME: input.component_name,
    DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION: download_url,
    // Of the certificate, not of the file: the next version of the agent has the same.
    DEVICE_ADMIN_SIGNATURE_CHECKSUM: signature_checksum,
    WIFI_SSID: wifi?.ssid,
    WIFI_HIDDEN: wifi?.is_hidden || undefined,
    WIFI_SECURITY_TYPE: wifi?.security_type,
    WIFI_PASSWORD: wifi?.password || undefined,
    LOCALE: input.locale,
    TIME_ZONE: input.time_zone,
    LEAVE_ALL_SYSTEM_APPS_ENABLED: input.leave_all_system_apps_enabled || undefined,
    USE_MOBILE_DATA: input.use_mobile_data || undefined,
    ADMIN_EXTRAS_BUNDLE: {
      ...input.admin_extras,
      ...ownExtras[input.agent_kind](base, token),
    },
  }
  return JSON.stringify(Object.fromEntries(Object.entries(text).map(([name, value]) => [android(name), value])))
}
