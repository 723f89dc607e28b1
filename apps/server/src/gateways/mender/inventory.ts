import type { Up } from '@mdm/device-link'
import { known, listOf, partOf, textOf, whole } from '../shared/values.ts'

/** What is known of a device, by the names of Mender's inventory. */
export type Attributes = Record<string, string>

/** Others are not kept. A name with an asterisk stands for one of each network interface. */
const kept_names = ['device_type', 'artifact_name', 'mender_client_version', 'hostname', 'os', 'kernel', 'mem_total_kB']
const of_interface = /^ipv4_(?!lo$)\S{1,40}$/
const interfaces_max = 10

/** Of `[{name, value}]`, where a value may be a list of texts. */
export function readAttributes(body: unknown): Attributes {
  const found: Attributes = {}
  for (const each of listOf(body).slice(0, 1_000)) {
    const { name, value } = partOf(each)
    if (typeof name !== 'string') continue
    const text = textOf(listOf(value)[0] ?? (typeof value === 'number' ? String(value) : value), 200)
    const is_address = of_interface.test(name) && Object.keys(found).length < kept_names.length + interfaces_max
    if (text && (is_address || kept_names.includes(name))) found[name] = text
  }
  return found
}

/** The number in the name of an artifact, by which releases are told apart. A name without one is older than every release. */
export const versionIn = (artifact_name: string): string =>
  /(?<![\d.])\d+(\.\d+){2,3}(_[A-Za-z0-9]+)?(?![\w.])/.exec(artifact_name)?.[0] ??
  `0.0.0_${artifact_name.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 40) || 'unknown'}`

/** Its build goes by the type of the device, and its version by what was installed last. */
export const inventoryOf = ({
  attributes: said,
  tunnels,
}: {
  attributes: Attributes
  tunnels?: string[]
}): Up['hello']['inventory'] =>
  known({
    uid: textOf(said['device_type'], 64),
    model: textOf(said['device_type'], 64),
    os_name: textOf(said['os']?.split(/ (?=v?\d)/)[0], 64) ?? 'Linux',
    os_version: said['artifact_name'] === undefined ? undefined : textOf(versionIn(said['artifact_name']), 64),
    service_version: textOf(said['mender_client_version'], 64),
    host: textOf(said['hostname'], 255),
    task_types: ['os'],
    config_sections: [] as string[],
    os_formats: ['mender'],
    tunnels,
  })!

type Parts = Omit<Up['state'], 'seq' | 'device_time'>

export function stateOf(said: Attributes): Parts {
  const name = Object.keys(said).find((each) => of_interface.test(each)) ?? ''
  const internal_ip = textOf(said[name]?.split('/')[0], 64)
  const type = name.startsWith('ipv4_wl') ? 'wifi' : name.startsWith('ipv4_ww') ? 'mobile' : 'ethernet'
  const memory = whole(Number(said['mem_total_kB']))
  return {
    ...(internal_ip && { network: { type, internal_ip } }),
    ...(memory && { run: { memory_total: memory * 1024 } }),
  }
}
