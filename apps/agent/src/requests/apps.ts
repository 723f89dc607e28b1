import { limits } from '@mdm/device-link'
import { bytesOf, fitting, most_bytes } from '../fit.ts'
import type { Methods } from '../requests.ts'

const frame_bytes = 2_048

export const appMethods: Methods<'app_list' | 'app_uninstall' | 'app_permission'> = {
  async app_list({ after }, { body }) {
    const all = (await body.apps.list()).toSorted((a, b) => (a.package < b.package ? -1 : 1))
    const wanted = after === undefined ? all : all.filter((app) => app.package > after)
    const kept = fitting(wanted, most_bytes - frame_bytes - bytesOf(after ?? '')).slice(0, limits.packages)
    return { items: kept, next: kept.length < wanted.length ? (kept.at(-1)?.package ?? null) : null }
  },
  async app_uninstall(params, { body }) {
    await body.apps.uninstall(params.package)
    return {}
  },
  async app_permission(params, { body }) {
    await body.apps.set_permission(params.package, params.permission, params.state)
    return {}
  },
}
