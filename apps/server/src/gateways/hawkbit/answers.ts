import { isWithin } from '../shared/window.ts'
import { zoneOf } from './actions.ts'
import type { Action, Kept } from './kept.ts'

/** How the agent is told what there is for it: one thing at a time. */
export function baseOf(kept: Kept, at: string, now: number, poll_seconds: number): object {
  const [action] = kept.actions
  const href = (path: string) => ({ href: `${at}/${path}` })
  const sleep = new Date(poll_seconds * 1_000).toISOString().slice(11, 19)
  const work =
    action &&
    (action.cancel === 'asked'
      ? { cancelAction: href(`cancelAction/${action.id}`) }
      : action.asks
        ? { confirmationBase: href(`confirmationBase/${action.id}`) }
        : { deploymentBase: href(`deploymentBase/${action.id}`) })
  const is_stale = kept.attributes_at === undefined || now - kept.attributes_at > 86_400_000
  return {
    config: { polling: { sleep } },
    _links: {
      ...work,
      ...(is_stale && { configData: href('configData') }),
      ...(kept.installed && { installedBase: href(`installedBase/${kept.installed.id}`) }),
    },
  }
}

/** A deployment, or the same as what its user is asked for. */
export function deploymentOf(
  kept: Kept,
  action: Action,
  key: 'deployment' | 'confirmation',
  sha1: string | null,
  now: number,
): object {
  const { file, window } = action
  const is_open = !window || isWithin(window, now, zoneOf(kept) ?? 'UTC')
  // Agents take the one or the other by how they were built.
  const links = { download: { href: file.url }, 'download-http': { href: file.url } }
  return {
    id: String(action.id),
    [key]: {
      download: 'forced',
      update: is_open ? 'forced' : 'skip',
      ...(window && { maintenanceWindow: is_open ? 'available' : 'unavailable' }),
      chunks: [
        {
          part: 'os',
          name: file.name,
          version: action.build.os_version,
          artifacts: [
            {
              filename: file.name,
              size: file.size,
              hashes: { ...(sha1 !== null && { sha1 }), md5: file.md5, sha256: file.sha256 },
              _links: links,
            },
          ],
        },
      ],
    },
  }
}
