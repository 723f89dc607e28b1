import { osPackageFor, osPackagesOf, osRefusal, takesOsFormat } from '@mdm/device-link'
import type { OsManifest } from '@mdm/device-link'
import type { LeftOutReason } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'

type Db = Kysely<Tables>
export type Available = Selectable<Tables['os_version']> & {
  uid_code: string
  uid_name: string
  uid_type: 'standard' | 'custom'
  /** Groups within which alone the account may have it. */
  terminal_group_kids: string[] | null
}

/**
 * Versions that an account may push: those for all, those for it, and those for the account above a sub-account. Groups
 * are those of the very account that is named.
 */
export async function availableTo({ db }: { db: Db }, account_kid: string, kid?: string): Promise<Available[]> {
  const { rows } = await sql<Available>`
    SELECT v.*, u.code AS uid_code, u.display_name AS uid_name, u.type AS uid_type, own.terminal_group_kids
    FROM os_version v JOIN os_uid u ON u.kid = v.uid_kid
    JOIN account a ON a.kid = ${account_kid}
    LEFT JOIN os_version_account own ON own.os_version_kid = v.kid AND own.account_kid = a.kid
    LEFT JOIN os_version_account above ON above.os_version_kid = v.kid AND above.account_kid = a.parent_kid
      AND above.terminal_group_kids IS NULL
    WHERE v.state IN ('launched', 'pre_released') AND (${kid ?? null}::uuid IS NULL OR v.kid = ${kid ?? null}::uuid)
      AND (v.is_for_all OR own.account_kid IS NOT NULL OR above.account_kid IS NOT NULL)
    ORDER BY v.released_at DESC, v.kid LIMIT 500
  `.execute(db)
  return rows
}

/** @throws `os_not_available` */
export async function available(of: { db: Db }, account_kid: string, kid: string): Promise<Available> {
  const [found] = await availableTo(of, account_kid, kid)
  return found ?? refuse('os_not_available')
}

export const manifestIn = ({ manifest }: Pick<Available, 'manifest'>): OsManifest => JSON.parse(manifest!) as OsManifest

type Build = {
  uid: string
  os_version: string
  version_code: number | null
  ver: number | null
  os_formats?: string[] | null
}

/** Why a device of this build cannot take a version; null when it can. */
export function standingOf(build: Build, manifest: OsManifest): LeftOutReason | null {
  const refusal = osRefusal(build, manifest)
  if (refusal) return refusal
  const packages = osPackagesOf(manifest)
  if (osPackageFor(build, packages)) return null
  return packages.some((one) => takesOsFormat(build, one)) ? 'no_package' : 'package_kind'
}

/** Those of some devices that cannot take a version, each with the reason. */
export async function leftOutOf(
  db: Db,
  account_kid: string,
  os_version_kid: string,
  kids: readonly string[],
): Promise<{ kid: string; reason: LeftOutReason }[]> {
  const version = await available({ db }, account_kid, os_version_kid)
  const manifest = manifestIn(version)
  const { rows } = await sql<Build & { kid: string; is_within: boolean }>`
    WITH RECURSIVE within AS (
      SELECT kid FROM terminal_group WHERE kid = ANY(${version.terminal_group_kids ?? []}::uuid[])
      UNION SELECT g.kid FROM terminal_group g JOIN within w ON g.parent_kid = w.kid)
    SELECT t.kid, t.uid, t.os_version, t.version_code, t.ver, t.os_formats,
      (${version.terminal_group_kids === null} OR t.terminal_group_kid IN (SELECT kid FROM within)) AS is_within
    FROM terminal t WHERE t.kid = ANY(${[...kids]}::uuid[]) AND t.account_kid = ${account_kid}
  `.execute(db)
  const known = new Map<string, LeftOutReason | null>()
  return rows.flatMap(({ kid, is_within, ...build }) => {
    if (!is_within) return { kid, reason: 'not_in_group' as const }
    const key = JSON.stringify(build)
    if (!known.has(key)) known.set(key, standingOf(build, manifest))
    const reason = known.get(key)!
    return reason ? { kid, reason } : []
  })
}
