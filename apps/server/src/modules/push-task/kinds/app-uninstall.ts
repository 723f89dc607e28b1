import type { Kind } from './kind.ts'

export const app_uninstall: Kind<'app_uninstall'> = {
  async store(_actor, { packages }) {
    const names = [...new Set(packages)]
    return { payload: { packages: names }, summary: names.join(', ').slice(0, 500) }
  },
  tells_apps: true,
  rules: ({ packages }) => ({ uninstalls: packages as string[] }),
}
