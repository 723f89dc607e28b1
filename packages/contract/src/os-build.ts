import type { PackageKind } from './calls/app_center.ts'
import type { OscsFileKind } from './calls/oscs_base.ts'

/** Bytes of the object store that go into a build: by digest, so that nothing else can take their place. */
export type OsBuildBytes = { object: string; size: number; sha256: string }

/** Everything that a build is made of, by value: a later change of what it came from changes nothing. */
export type OsBuildInputs = {
  name: string
  model_code: string
  uid_code: string
  base_os_version: string
  /** Laid over each other in this order. */
  bases: (OsBuildBytes & { kind: OscsFileKind; file_name: string })[]
  apps: (OsBuildBytes & {
    app_kid: string
    version_kid: string
    package: string
    name: string
    version_name: string
    version_code: number
    kind: PackageKind
    file_name: string
    is_inherited: boolean
  })[]
  files: (OsBuildBytes & { file_kid: string; name: string; path: string })[]
  picture: (OsBuildBytes & { name: string }) | null
  configuration: {
    kid: string
    name: string
    version: number
    sections: Record<string, unknown>
    /** They hold secrets, which no package carries. */
    left_out: string[]
  } | null
}

/** What a line of a build's log says. */
export const osBuildLineEvents = [
  'queued',
  'began',
  'resumed',
  'step_done',
  'copied',
  'config_left_out',
  'waiting_turn',
  'packed',
  'checked',
  'stored',
  'registered',
  'failed',
  'canceled',
  'retried',
] as const
export type OsBuildLineEvent = (typeof osBuildLineEvents)[number]
