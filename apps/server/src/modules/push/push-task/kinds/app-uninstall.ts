import type { Kind } from './kind.ts'

export const app_uninstall: Kind<'app_uninstall'> = {
  async store(_actor, { packages }) {
    const names = [...new Set(packages)]
    return { payload: { packages: names }, summary: names.join(', ').slice(0, 500) }
  },
  reports_apps: true,
  contradicted: async (_trx, stored, reports) => {
    const packages = new Set(stored['packages'] as string[])
    const isThere = (result: (typeof reports)[number]['result']) =>
      result?.apps?.some((app) => packages.has(app.package) && app.version !== undefined)
    return reports.map(({ result }) => (isThere(result) ? 'still_installed' : undefined))
  },
  rules: ({ packages }) => ({ uninstalls: packages as string[] }),
}
